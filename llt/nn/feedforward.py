"""Pointwise networks."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from llt import kernels
from llt.nn.linear import Linear


class SwiGLU(nn.Module):
    """W_o (silu(W_g h) ⊙ W_u h)."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.gate_up = Linear(dim, 2 * hidden, bias=False)  # W_g and W_u read the same input
        self.out = Linear(hidden, dim, bias=False)

    def forward(self, h: Tensor) -> Tensor:
        return self.out(kernels.gated(h, self.gate_up.weight))


class GEGLU(nn.Module):
    """W_o (gelu(W_g h) ⊙ W_u h), with biases; dropout before W_o."""

    def __init__(self, in_dim: int, hidden: int, out_dim: int, *, dropout: float = 0) -> None:
        super().__init__()
        self.gate_up = Linear(in_dim, 2 * hidden)
        self.dropout = nn.Dropout(dropout)
        self.out = Linear(hidden, out_dim)

    def forward(self, h: Tensor) -> Tensor:
        gate, up = self.gate_up(h).chunk(2, dim=-1)
        return self.out(self.dropout(F.gelu(gate) * up))


def mlp(in_dim: int, hidden: int, out_dim: int) -> nn.Sequential:
    """Linear-GELU-Linear."""
    return nn.Sequential(Linear(in_dim, hidden), nn.GELU(), Linear(hidden, out_dim))
