"""The harness that many published transformers for PDEs share.

Points are embedded by an MLP, pass pre-norm residual blocks of a token mixer and an MLP, and are
read out by a normalized linear map. Time is added to every point after the embedding.

Shapes: B batch, N points, D width.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from llt.nn.encoding import TimeEmbedding
from llt.nn.feedforward import mlp


class PointEmbedding(nn.Module):
    """MLP in -> 2D -> D of coordinates and fields, a learned shift, and the time."""

    def __init__(self, in_dim: int, dim: int, *, timed: bool, shift: bool = True) -> None:
        super().__init__()
        self.mlp = mlp(in_dim, 2 * dim, dim)
        self.shift = nn.Parameter(torch.rand(dim) / dim) if shift else None
        self.time = TimeEmbedding(dim) if timed else None

    def forward(self, points: Tensor, t: Tensor | None = None) -> Tensor:
        h = self.mlp(points)
        if self.shift is not None:
            h = h + self.shift
        if self.time is not None:
            if t is None:
                raise ValueError("the problem is timed: pass the output time t")
            h = h + self.time(t).unsqueeze(1)
        return h


class MixerBlock(nn.Module):
    """h + mixer(LN(h)), then h + MLP(LN(h)); extra arguments go to the mixer."""

    def __init__(self, mixer: nn.Module, dim: int, *, mlp_ratio: int = 1) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.mixer = mixer
        self.mlp = mlp(dim, mlp_ratio * dim, dim)

    def forward(self, h: Tensor, *args: object) -> Tensor:
        h = h + self.mixer(self.norm1(h), *args)
        return h + self.mlp(self.norm2(h))


class Readout(nn.Module):
    """LayerNorm, then a linear map to the output fields."""

    def __init__(self, dim: int, out_channels: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.linear = nn.Linear(dim, out_channels)

    def forward(self, h: Tensor) -> Tensor:
        return self.linear(self.norm(h))


def init_truncated_normal(module: nn.Module) -> None:
    """Linear weights truncated normal with standard deviation 0.02, biases zero."""
    for part in module.modules():
        if isinstance(part, nn.Linear):
            nn.init.trunc_normal_(part.weight, std=0.02)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
