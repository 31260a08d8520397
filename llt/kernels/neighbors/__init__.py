"""Softmax attention of every point to its neighbors: Σ_j softmax_j(q · k_j / √C) v_j."""

from __future__ import annotations

import torch
from torch import Tensor

from llt.kernels.choice import on_cpu
from llt.kernels.neighbors import cpu, plain

__all__ = ["neighbor_attention"]


def neighbor_attention(q: Tensor, k: Tensor, v: Tensor, neighbors: Tensor) -> Tensor:
    """See `plain.neighbor_attention`."""
    fast = on_cpu(q) and q.dtype in (torch.float32, torch.float64)
    return (cpu if fast else plain).neighbor_attention(q, k, v, neighbors)
