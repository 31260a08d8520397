"""The operations a model spends its time in. Call them here; the implementation is chosen here."""

from llt.kernels.reference import linear_attention, neighbor_attention

__all__ = ["linear_attention", "neighbor_attention"]
