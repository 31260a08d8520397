"""gelu(W * fields + b): the first convolution, of a few fields to D channels."""
