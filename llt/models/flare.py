"""FLARE: low-rank attention through latent tokens of every head's own.

    z = softmax(Q Kᵀ) V,    y = softmax(K Qᵀ) z

Q are M learned latent queries per head, so that every head routes along its own low-rank path.
Keys and values are deep residual MLPs of the points; there are no convolutions on grids. GELU is
the approximate one, by tanh. Time is added to the embedded points; the published model has none.

Shapes: B batch, N points, D width, H heads, C = D / H channels per head, M latents.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn

from llt.models.base import Operator
from llt.nn.encoding import TimeEmbedding
from llt.nn.linear import Linear
from llt.nn.transformer import (
    MixerBlock,
    ResidualMLP,
    check_sizes,
    init_truncated_normal,
    latent_attention,
    merge_heads,
    over_points,
    split_heads,
)
from llt.problem import Problem

_mlp = partial(ResidualMLP, approximate="tanh")


class FLARE(Operator):
    """Residual MLP, L blocks of latent routing and residual MLP, LayerNorm and residual MLP."""

    paper = "Puri et al.: FLARE: Fast Low-rank Attention Routing Engine, 2025"
    summary = "attention through learned latent tokens per head, with deep residual projections"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 64,
        num_layers: int = 8,
        heads: int = 8,
        latents: int = 64,  # M
        mlp_layers: int = 3,  # hidden layers of the keys', the values' and the blocks' MLPs
    ) -> None:
        super().__init__()
        check_sizes(
            dim=dim, heads=heads, num_layers=num_layers, latents=latents, mlp_layers=mlp_layers
        )
        self.problem = problem
        in_dim = problem.space_dim + problem.in_channels
        self.embedding = _mlp(in_dim, dim, dim, 2, add_last=True)
        self.time = TimeEmbedding(dim) if problem.timed else None
        self.blocks = nn.ModuleList(
            MixerBlock(
                LatentRouting(dim, heads, latents, mlp_layers),
                dim,
                ffn=_mlp(dim, dim, dim, mlp_layers, add_first=True, add_last=True),
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(dim)
        self.head = _mlp(dim, dim, problem.out_channels, 2, add_first=True)
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
        if self.problem.grid is not None:
            self.grid_of(x, grid)
        h = self.embedding(torch.cat((x, a), dim=-1))
        if self.time is not None:
            if t is None:
                raise ValueError(f"{self.problem.name} is timed: pass the output time t")
            h = h + self.time(t).unsqueeze(1)
        for block in self.blocks:
            h = block(h, mask)
        u = self.head(self.norm(h))
        return u if mask is None else u * mask.unsqueeze(-1)


class LatentRouting(nn.Module):
    """Points to latents and back, with the same queries and keys both ways."""

    def __init__(self, dim: int, heads: int, latents: int, mlp_layers: int) -> None:
        super().__init__()
        self.heads = heads
        self.queries = nn.Parameter(0.1 * torch.randn(heads, latents, dim // heads))
        self.k = _mlp(dim, dim, dim, mlp_layers, add_first=True, add_last=True)
        self.v = _mlp(dim, dim, dim, mlp_layers, add_first=True, add_last=True)
        self.out = Linear(dim, dim)

    def forward(self, h: Tensor, mask: Tensor | None) -> Tensor:
        q = self.queries.expand(len(h), -1, -1, -1)  # (B, H, M, C)
        k, v = (split_heads(z, self.heads) for z in (self.k(h), self.v(h)))  # (B, H, N, C)
        # scores are not divided by the root of C
        z = latent_attention(q, k, v, over_points(mask), scale=1.0)
        return self.out(merge_heads(latent_attention(k, q, z, scale=1.0)))
