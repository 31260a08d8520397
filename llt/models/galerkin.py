"""Galerkin Transformer.

Attention without a softmax, Q (Kᵀ V) / n: keys and values are normalized, so that Kᵀ V / n is a
Petrov-Galerkin projection by quadrature. The coordinates join every head of Q, K and V.
The regressor is the paper's pointwise one, which needs no grid.

Shapes: B batch, N points, D width, H heads, C = D / H channels per head, d coordinates.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import Operator
from llt.nn.feedforward import mlp
from llt.nn.linear_attention import galerkin_attention
from llt.nn.transformer import PointEmbedding, check_sizes
from llt.problem import Problem


class GalerkinTransformer(Operator):
    """Embedding, L blocks of Galerkin attention, pointwise regressor."""

    paper = "Cao: Choose a Transformer: Fourier or Galerkin, 2021"
    summary = "softmax-free attention as a Galerkin projection"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 6,
        heads: int = 4,
        mlp_ratio: int = 2,
    ) -> None:
        super().__init__()
        check_sizes(dim=dim, heads=heads, num_layers=num_layers, mlp_ratio=mlp_ratio)
        self.problem = problem
        d = problem.space_dim
        self.embedding = PointEmbedding(
            d + problem.in_channels, dim, timed=problem.timed, shift=False
        )
        self.blocks = nn.ModuleList(
            Block(dim, heads, space_dim=d, mlp_ratio=mlp_ratio) for _ in range(num_layers)
        )
        self.regressor = mlp(dim, 2 * dim, problem.out_channels)

    def forward(
        self,
        x: Tensor,
        a: Tensor,
        *,
        t: Tensor | None = None,
        grid: tuple[int, ...] | None = None,
        neighbors: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        if self.problem.grid is not None:
            self.grid_of(x, grid)
        h = self.embedding(torch.cat((x, a), dim=-1), t)
        for block in self.blocks:
            h = block(h, x, mask)
        u = self.regressor(h)
        return u if mask is None else u * mask.unsqueeze(-1)


class Block(nn.Module):
    """h + Attention(h), then h + MLP(h); the only norms are those of keys and values."""

    def __init__(self, dim: int, heads: int, *, space_dim: int, mlp_ratio: int) -> None:
        super().__init__()
        self.attention = GalerkinAttention(dim, heads, space_dim)
        self.mlp = mlp(dim, mlp_ratio * dim, dim)

    def forward(self, h: Tensor, x: Tensor, mask: Tensor | None) -> Tensor:
        h = h + self.attention(h, x, mask)
        return h + self.mlp(h)


class GalerkinAttention(nn.Module):
    """W_o [x, Q] ([x, LN K]ᵀ [x, LN V]) / n in every head."""

    def __init__(self, dim: int, heads: int, space_dim: int) -> None:
        super().__init__()
        self.heads, C = heads, dim // heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.key_norm, self.value_norm = HeadNorm(heads, C), HeadNorm(heads, C)
        self.out = nn.Linear(heads * (C + space_dim), dim)
        init_near_identity(self.qkv)

    def forward(self, h: Tensor, x: Tensor, mask: Tensor | None) -> Tensor:
        q, k, v = self.qkv(h).unflatten(-1, (3, self.heads, -1)).unbind(2)  # (B, N, H, C)
        k, v = self.key_norm(k), self.value_norm(v)
        x = x.unsqueeze(2).expand(-1, -1, self.heads, -1)
        q, k, v = (torch.cat((x, z), dim=-1) for z in (q, k, v))  # (B, N, H, d + C)
        return self.out(galerkin_attention(q, k, v, mask).flatten(2))


class HeadNorm(nn.Module):
    """LayerNorm over the channels of a head, each head with its own scale and shift."""

    def __init__(self, heads: int, channels: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(heads, channels))
        self.shift = nn.Parameter(torch.zeros(heads, channels))

    def forward(self, z: Tensor) -> Tensor:  # (B, N, H, C)
        return F.layer_norm(z, z.shape[-1:]) * self.scale + self.shift


def init_near_identity(linear: nn.Linear, *, gain: float = 1e-2, diagonal: float = 1e-2) -> None:
    """Every square part of the weight: small Xavier noise plus a multiple of the identity."""
    nn.init.zeros_(linear.bias)
    dim = linear.in_features
    with torch.no_grad():
        for part in linear.weight.split(dim):
            nn.init.xavier_uniform_(part, gain=gain)
            part += diagonal * torch.eye(dim)
