"""Sums over all points that the library does best: gradients of weights and biases, in float32."""

from __future__ import annotations

import torch
from torch import Tensor


def weight_gradient(left: Tensor, right: Tensor) -> Tensor:
    """Σ left rightᵀ over the points of (B, N, m) and (B, N, n): (m, n)."""
    return _product(left.flatten(0, 1).T, right.flatten(0, 1))


def bias_gradient(left: Tensor) -> Tensor:
    """Σ left over the points of (B, N, m): (m,). A product, since the library's sums are slow."""
    ones = left.new_ones(1, left.shape[0] * left.shape[1])
    return _product(ones, left.flatten(0, 1)).squeeze(0)


def _product(a: Tensor, b: Tensor) -> Tensor:
    if a.is_cuda and a.dtype != torch.float32:
        return torch.mm(a, b, out_dtype=torch.float32)
    return a.float() @ b.float()
