"""Encodings of position and time, with those of position as the kernels define them."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from llt.kernels.encoding.plain import distance_encoding, fourier_features, unit_grid
from llt.nn.linear import Linear

__all__ = [
    "RandomFeatures",
    "SlowTimeEmbedding",
    "TimeEmbedding",
    "distance_encoding",
    "fourier_features",
    "unit_grid",
]


class TimeEmbedding(nn.Module):
    """A scalar time in [0, 1] as a vector: sinusoids, then Linear-SiLU-Linear."""

    frequencies: Tensor

    def __init__(self, dim: int, *, highest: float = 100.0) -> None:
        super().__init__()
        exponents = torch.linspace(0, math.log(highest), dim // 2)
        self.register_buffer("frequencies", exponents.exp(), persistent=False)
        self.project = nn.Sequential(Linear(2 * (dim // 2), dim), nn.SiLU(), Linear(dim, dim))

    def forward(self, t: Tensor) -> Tensor:  # (B,) -> (B, dim)
        angles = t.unsqueeze(-1) * self.frequencies
        return self.project(torch.cat((angles.cos(), angles.sin()), dim=-1))


class SlowTimeEmbedding(TimeEmbedding):
    """With frequencies from 1 down to 1e-4, meant for time counted in steps.

    Published models give it times in [0, 1] as well.
    """

    def __init__(self, dim: int) -> None:
        super().__init__(dim)
        self.frequencies = 1e-4 ** (torch.arange(dim // 2) / (dim // 2))


class RandomFeatures(nn.Module):
    """sin(2π F x) and cos(2π F x) of points x (..., d), with a fixed Gaussian matrix F (d, M)."""

    frequencies: Tensor

    def __init__(self, space_dim: int, num_features: int, *, scale: float = 1.0) -> None:
        super().__init__()
        self.register_buffer("frequencies", scale * torch.randn(space_dim, num_features))

    def forward(self, x: Tensor) -> Tensor:  # (..., 2M)
        # not a matrix product, whose reduced precision would move the points
        angles = 2 * math.pi * (x.unsqueeze(-1) * self.frequencies).sum(dim=-2)
        return torch.cat((angles.sin(), angles.cos()), dim=-1)
