"""OFormer.

An encoder of softmax-free attention with rotary positions turns the input into latent vectors at
its points. The decoder knows a query point by random Fourier features alone and reads the latent
vectors by cross-attention. The output time is added to the input: the paper's recurrent
propagator for time series has no part in one-step problems.

Shapes: B batch, N points, D width, H heads, C = D channels per head, d coordinates.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import Operator
from llt.nn.encoding import RandomFeatures, TimeEmbedding
from llt.nn.feedforward import GEGLU
from llt.nn.linear import Linear
from llt.nn.linear_attention import galerkin_attention
from llt.nn.rotary import pairs_per_axis, rotate
from llt.nn.transformer import check_sizes
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
        resolution: int = 64,  # points along an axis, which the rotary frequencies follow
        feature_scale: float = 0.5,  # standard deviation of the query features' frequencies
        dropout: float = 0.03,
        embedding_dropout: float = 0.05,
    ) -> None:
        super().__init__()
        check_sizes(
            dim=dim, heads=1, num_layers=num_layers, latent_dim=latent_dim, resolution=resolution
        )
        self.problem = problem
        d = problem.space_dim
        self.embedding = Linear(d + problem.in_channels, dim, bias=False)
        self.time = TimeEmbedding(dim) if problem.timed else None
        self.dropout = nn.Dropout(embedding_dropout)
        scales = [resolution, max(resolution // 4, 1)] + [1] * num_layers
        self.encoder = nn.ModuleList(
            Block(dim, heads, space_dim=d, frequency=scale * resolution, dropout=dropout)
            for scale in scales[:num_layers]
        )
        self.latent = Linear(dim, latent_dim, bias=False)
        self.query = nn.Sequential(
            RandomFeatures(d, latent_dim // 2, scale=feature_scale),
            Linear(2 * (latent_dim // 2), latent_dim, bias=False),
            nn.GELU(),
            Linear(latent_dim, latent_dim, bias=False),
        )
        self.cross = RotaryAttention(latent_dim, heads, space_dim=d, frequency=16 * resolution)
        start_near_identity(self.cross.key_value)
        self.mlp = GEGLU(latent_dim, latent_dim, latent_dim)
        self.readout = nn.Sequential(
            Linear(latent_dim + d, latent_dim, bias=False),
            nn.GELU(),
            Linear(latent_dim, latent_dim // 2, bias=False),
            nn.GELU(),
            Linear(latent_dim // 2, problem.out_channels),
        )

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
                raise ValueError("the problem is timed: pass the output time t")
            h = h + self.time(t).unsqueeze(1)
        h = self.dropout(h)
        for block in self.encoder:
            h = block(h, x, mask)
        z = self.query(x)
        z = z + self.cross(z, x, mask, self.latent(h))
        z = z + self.mlp(z)
        u = self.readout(torch.cat((z, x), dim=-1))
        return u if mask is None else u * mask.unsqueeze(-1)


class Block(nn.Module):
    """h ← LN(h), h + attention(h), LN(h), h + MLP(h): what is added to is normalized too."""

    def __init__(
        self, dim: int, heads: int, *, space_dim: int, frequency: float, dropout: float
    ) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = RotaryAttention(dim, heads, space_dim=space_dim, frequency=frequency)
        self.mlp = GEGLU(dim, dim, dim, dropout=dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(self, h: Tensor, x: Tensor, mask: Tensor | None) -> Tensor:
        h = self.norm1(h)
        h = self.norm2(h + self.dropout(self.attention(h, x, mask)))
        return h + self.dropout(self.mlp(h))


class RotaryAttention(nn.Module):
    """W_o R(x) q (R(x) k)ᵀ v / n, with k and v of the context normalized over their channels.

    Queries start near the identity, in every head.
    """

    def __init__(self, dim: int, heads: int, *, space_dim: int, frequency: float) -> None:
        super().__init__()
        pairs_per_axis(dim, space_dim)  # an error here, not at the first call
        self.split, self.frequency = (heads, dim), frequency
        self.query = Linear(dim, heads * dim, bias=False)
        self.key_value = Linear(dim, 2 * heads * dim, bias=False)
        self.out = Linear(heads * dim, dim)
        start_near_identity(self.query)

    def forward(
        self, h: Tensor, x: Tensor, mask: Tensor | None = None, context: Tensor | None = None
    ) -> Tensor:
        q = self.query(h).unflatten(-1, self.split)  # (B, N, H, C)
        keys_values = self.key_value(h if context is None else context)
        # published as an instance norm, but of tensors whose last axis are the channels
        keys_values = F.layer_norm(keys_values.unflatten(-1, (2, *self.split)), self.split[1:])
        k, v = keys_values.unbind(2)
        q, k = (rotate(z, x, highest=self.frequency) for z in (q, k))
        return self.out(galerkin_attention(q, k, v, mask).flatten(2))


def start_near_identity(linear: nn.Linear) -> None:
    """Every square matrix stacked in the weight: (an orthogonal one + the identity) / its size."""
    size = linear.in_features
    for matrix in linear.weight.detach().split(size):
        nn.init.orthogonal_(matrix, gain=1 / size)
        matrix += torch.eye(size) / size
