"""Softmax attention of every point to its neighbors: Σ_j softmax_j(q · k_j / √C) v_j."""

from llt.kernels.neighbors.plain import neighbor_attention

__all__ = ["neighbor_attention"]
