"""LRSA: low-rank spatial attention from standard transformer parts.

    z = Attention(latents, h),    a transformer block on z,    y = Attention(h, z)

M learned queries compress the points, the latents exchange by full attention, and the points
read them back. The two cross-attentions have projections of their own. On grids the MLP holds a
depthwise 3 x 3 (x 3) convolution. The authors' code was not available: sizes, the place of the
norms and the kind of convolution are choices made here.

Shapes: B batch, N points, D width, M latents.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import Operator
from llt.nn.linear import Linear
from llt.nn.transformer import (
    Attention,
    MixerBlock,
    PointEmbedding,
    Readout,
    check_sizes,
    has_shift,
    init_truncated_normal,
)
from llt.problem import Problem


class LRSA(Operator):
    """Embedding, L blocks of low-rank spatial attention and (Conv)FFN, linear readout."""

    paper = (
        "Yang et al.: Simple yet Effective: Low-Rank Spatial Attention for Neural Operators, 2026"
    )
    summary = "attention through latents: compressed, mixed and read back in every layer"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 8,
        heads: int = 8,
        latents: int = 64,  # M
        mlp_ratio: int = 1,
    ) -> None:
        super().__init__()
        check_sizes(
            dim=dim, heads=heads, num_layers=num_layers, latents=latents, mlp_ratio=mlp_ratio
        )
        self.problem = problem
        self.embedding = PointEmbedding(
            problem.space_dim + problem.in_channels,
            dim,
            timed=problem.timed,
            shift=has_shift(problem),
        )
        self.blocks = nn.ModuleList(
            Block(problem, dim=dim, heads=heads, latents=latents, mlp_ratio=mlp_ratio)
            for _ in range(num_layers)
        )
        self.readout = Readout(dim, problem.out_channels)
        init_truncated_normal(self)

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
        grid = None if self.problem.grid is None else self.grid_of(x, grid)
        h = self.embedding(torch.cat((x, a), dim=-1), t)
        for block in self.blocks:
            h = block(h, grid, mask)
        return self.readout(h, mask)


class Block(nn.Module):
    """h + LRSA(LN(h)), then h + FFN(LN(h))."""

    def __init__(
        self, problem: Problem, *, dim: int, heads: int, latents: int, mlp_ratio: int
    ) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = LowRankSpatialAttention(dim, heads, latents, mlp_ratio)
        self.ffn = ConvFFN(problem, dim, mlp_ratio * dim)

    def forward(self, h: Tensor, grid: tuple[int, ...] | None, mask: Tensor | None) -> Tensor:
        h = h + self.attention(self.norm1(h), mask)
        return h + self.ffn(self.norm2(h), grid)


class LowRankSpatialAttention(nn.Module):
    """Compress N points to M latents, mix those, reconstruct at the points."""

    def __init__(self, dim: int, heads: int, latents: int, mlp_ratio: int) -> None:
        super().__init__()
        self.latents = nn.Parameter(torch.randn(latents, dim))
        self.compress = Attention(dim, heads)
        self.mix = MixerBlock(Attention(dim, heads), dim, mlp_ratio=mlp_ratio)
        self.norm = nn.LayerNorm(dim)
        self.reconstruct = Attention(dim, heads)

    def forward(self, h: Tensor, mask: Tensor | None) -> Tensor:
        z = self.compress(self.latents.expand(len(h), -1, -1), h, mask)  # (B, M, D)
        return self.reconstruct(h, self.norm(self.mix(z)))


class ConvFFN(nn.Module):
    """Linear-GELU-Linear; on grids a depthwise convolution stands before the GELU."""

    def __init__(self, problem: Problem, dim: int, hidden: int) -> None:
        super().__init__()
        self.widen, self.narrow = Linear(dim, hidden), Linear(hidden, dim)
        self.conv: nn.Module | None = None
        if problem.grid is not None:
            conv = nn.Conv2d if problem.space_dim == 2 else nn.Conv3d
            self.conv = conv(hidden, hidden, 3, padding=1, groups=hidden)

    def forward(self, h: Tensor, grid: tuple[int, ...] | None) -> Tensor:
        h = self.widen(h)
        if self.conv is not None and grid is not None:
            image = h.transpose(1, 2).unflatten(-1, grid)  # (B, D, *grid)
            h = self.conv(image).flatten(2).transpose(1, 2)
        return self.narrow(F.gelu(h))
