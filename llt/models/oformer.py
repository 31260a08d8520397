"""OFormer.

An encoder of softmax-free attention with rotary positions turns the input into latent vectors at
its points. The decoder knows a query point by random Fourier features alone and reads the latent
vectors by cross-attention. The output time is added to the input: the paper's recurrent
propagator for time series has no part in one-step problems.

Shapes: B batch, N points, D width, H heads, C channels per head, d coordinates, M features.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from llt.models.base import Operator
from llt.nn.feedforward import mlp
from llt.nn.linear_attention import galerkin_attention
from llt.nn.points import instance_norm
from llt.nn.rotary import pairs_per_axis, rotate
from llt.nn.transformer import MixerBlock, PointEmbedding, check_sizes
from llt.problem import Problem


class OFormer(Operator):
    """Encoder of L blocks, one cross-attention from query points, pointwise MLP."""

    paper = "Li et al.: Transformer for Partial Differential Equations' Operator Learning, 2022"
    summary = "rotary linear attention, read at query points by cross-attention"
    body = "encoder"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 96,
        latent_dim: int = 256,
        num_layers: int = 6,
        heads: int = 4,
        head_dim: int = 96,
        mlp_ratio: int = 1,
        feature_scale: float = 0.5,  # standard deviation of the query features' frequencies
    ) -> None:
        super().__init__()
        check_sizes(dim=dim, heads=1, num_layers=num_layers, latent_dim=latent_dim)
        self.problem = problem
        d = problem.space_dim
        pairs_per_axis(head_dim, d)  # an error here, not at the first call
        self.embedding = PointEmbedding(
            d + problem.in_channels, dim, timed=problem.timed, shift=False
        )
        self.encoder = nn.ModuleList(
            MixerBlock(RotaryAttention(dim, heads, head_dim), dim, mlp_ratio=mlp_ratio)
            for _ in range(num_layers)
        )
        self.latent = nn.Linear(dim, latent_dim)
        self.query = QueryFeatures(d, latent_dim, feature_scale)
        self.decoder = MixerBlock(
            RotaryAttention(latent_dim, heads, head_dim), latent_dim, mlp_ratio=mlp_ratio
        )
        self.readout = mlp(latent_dim, latent_dim, problem.out_channels)

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
        for block in self.encoder:
            h = block(h, x, mask)
        u = self.readout(self.decoder(self.query(x), x, mask, self.latent(h)))
        return u if mask is None else u * mask.unsqueeze(-1)


class RotaryAttention(nn.Module):
    """W_o R(x) q (R(x) k)ᵀ v / n, with k and v of the context normalized over its points."""

    def __init__(self, dim: int, heads: int, head_dim: int) -> None:
        super().__init__()
        self.split = (heads, head_dim)
        # no biases: the norm over points would take them out again
        self.query = nn.Linear(dim, heads * head_dim, bias=False)
        self.key_value = nn.Linear(dim, 2 * heads * head_dim, bias=False)
        self.out = nn.Linear(heads * head_dim, dim)

    def forward(
        self, h: Tensor, x: Tensor, mask: Tensor | None = None, context: Tensor | None = None
    ) -> Tensor:
        q = self.query(h).unflatten(-1, self.split)  # (B, N, H, C)
        keys_values = self.key_value(h if context is None else context)
        k, v = instance_norm(keys_values, mask).unflatten(-1, (2, *self.split)).unbind(2)
        return self.out(galerkin_attention(rotate(q, x), rotate(k, x), v, mask).flatten(2))


class QueryFeatures(nn.Module):
    """MLP of cos(2π F x) and sin(2π F x) with a fixed Gaussian matrix F (d, M)."""

    frequencies: Tensor

    def __init__(self, space_dim: int, dim: int, scale: float) -> None:
        super().__init__()
        self.register_buffer("frequencies", scale * torch.randn(space_dim, dim // 2))
        self.mlp = mlp(2 * (dim // 2), dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        # not a matrix product, whose reduced precision would move the points
        angles = 2 * math.pi * (x.unsqueeze(-1) * self.frequencies).sum(dim=-2)
        return self.mlp(torch.cat((angles.cos(), angles.sin()), dim=-1))
