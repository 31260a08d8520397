"""Studies that compare models under one protocol: what they cost."""
