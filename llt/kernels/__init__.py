"""The operations a model spends its time in, and the choice between plain and fused ones."""

from llt.kernels.dispatch import adam_update, attention, blend, gated, linear, use, use_fused
from llt.kernels.reference import (
    linear_attention_apply,
    linear_attention_sums,
    neighbor_attention,
    rms_norm,
)

__all__ = [
    "adam_update",
    "attention",
    "blend",
    "gated",
    "linear",
    "linear_attention_apply",
    "linear_attention_sums",
    "neighbor_attention",
    "rms_norm",
    "use",
    "use_fused",
]
