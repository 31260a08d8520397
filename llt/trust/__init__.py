"""How far to trust a prediction: error bars, and the distance from what was trained on."""

from llt.trust.kept import Trust, keep_trust, kept_trust

__all__ = ["Trust", "keep_trust", "kept_trust"]
