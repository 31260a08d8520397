"""The operations a model spends its time in. Call them here; the implementation is chosen here."""

from llt.kernels.dispatch import adam_update, use, use_fused
from llt.kernels.reference import (
    linear_attention,
    linear_attention_apply,
    linear_attention_sums,
    neighbor_attention,
)

__all__ = [
    "adam_update",
    "linear_attention",
    "linear_attention_apply",
    "linear_attention_sums",
    "neighbor_attention",
    "use",
    "use_fused",
]
