"""The definition of a weight's gradient."""

from __future__ import annotations

import torch
from torch import Tensor


def weight_gradient(left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Of y = W x + b with dy = left and x = right, (B, N, D): dW and db."""
    return torch.einsum("bni,bnj->ij", left, right), left.sum((0, 1))
