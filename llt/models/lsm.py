"""Latent Spectral Model.

A U-Net whose features on every scale pass a neural spectral block: patch by patch they are
projected to a few latent tokens by cross-attention, the tokens are updated by a trigonometric
series of themselves, and sent back by cross-attention.
Norms are per sample where the original has BatchNorm, so that samples do not depend on each other.

Shapes: B batch, Ny x Nx grid, D width, H heads, C channels per head, L points a patch, T tokens,
K terms of the series.
"""

from __future__ import annotations

import math
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import GRIDS, SPACE, Operator
from llt.nn.feedforward import mlp
from llt.nn.patching import covered, from_patches, to_patches
from llt.nn.transformer import (
    PointEmbedding,
    check_sizes,
    latent_attention,
    merge_heads,
    split_heads,
)
from llt.problem import Problem


class LSM(Operator):
    """Embedding, U-Net with a spectral block on every scale, pointwise readout."""

    paper = "Wu et al.: Solving High-Dimensional PDEs with Latent Spectral Models, 2023"
    summary = "U-Net with spectral updates of latent tokens on every scale"
    supports = GRIDS - {SPACE}

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 32,
        num_scales: int = 5,
        heads: int = 8,
        num_tokens: int = 4,
        num_basis: int = 12,
        patch: int = 4,
    ) -> None:
        super().__init__()
        check_sizes(
            dim=dim,
            heads=heads,
            num_scales=num_scales,
            num_tokens=num_tokens,
            num_basis=num_basis,
            patch=patch,
        )
        self.problem = problem
        in_dim = problem.space_dim + problem.in_channels
        self.embedding = PointEmbedding(in_dim, dim, timed=problem.timed)
        widths = [dim * min(2**scale, 8) for scale in range(num_scales)]
        self.stem = double_conv(dim, dim)
        self.down = nn.ModuleList(double_conv(*pair) for pair in pairwise(widths))
        self.spectral = nn.ModuleList(
            SpectralBlock(
                width, heads=heads, num_tokens=num_tokens, num_basis=num_basis, patch=patch
            )
            for width in widths
        )
        self.up = nn.ModuleList(
            double_conv(fine + coarse, fine) for fine, coarse in pairwise(widths)
        )
        self.readout = mlp(dim, 2 * dim, problem.out_channels)

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
        h = self.embedding(torch.cat((x, a), dim=-1), t)
        scales = [self.stem(h.transpose(1, 2).unflatten(-1, self.grid_of(x, grid)))]
        for down in self.down:
            # the last row and column of an odd grid make a cell of their own
            scales.append(down(F.max_pool2d(scales[-1], 2, ceil_mode=True)))
        *finer, image = (block(z) for block, z in zip(self.spectral, scales, strict=True))
        for up, skip in zip(reversed(self.up), reversed(finer), strict=True):
            image = F.interpolate(image, skip.shape[2:], mode="bilinear", align_corners=True)
            image = up(torch.cat((skip, image), dim=1))
        u = self.readout(image.flatten(2).transpose(1, 2))
        return u if mask is None else u * mask.unsqueeze(-1)


def double_conv(in_dim: int, out_dim: int) -> nn.Sequential:
    """Two times: 3 x 3 convolution, norm over the sample, GELU."""
    layers: list[nn.Module] = []
    for dim in (in_dim, out_dim):
        layers += [nn.Conv2d(dim, out_dim, 3, padding=1), nn.GroupNorm(1, out_dim), nn.GELU()]
    return nn.Sequential(*layers)


class SpectralBlock(nn.Module):
    """h + decode(update(encode(h))) in every patch; latent tokens are the same for all patches."""

    def __init__(
        self, dim: int, *, heads: int, num_tokens: int, num_basis: int, patch: int
    ) -> None:
        super().__init__()
        self.heads, self.patch = heads, patch
        self.latent = nn.Parameter(torch.randn(heads, num_tokens, dim // heads))
        self.encode = nn.Linear(dim, 2 * dim, bias=False)  # keys and values of the points
        self.update = BasisUpdate(dim, num_basis)
        self.query = nn.Linear(dim, dim, bias=False)
        self.decode = nn.Linear(dim, 2 * dim, bias=False)  # keys and values of the tokens
        self.out = nn.Linear(dim, dim)

    def forward(self, image: Tensor) -> Tensor:  # (B, D, Ny, Nx)
        h = image.permute(0, 2, 3, 1)
        patches = to_patches(h, self.patch)  # (B, ny, nx, L, D)
        real = covered(h, self.patch).expand(patches.shape[:4]).flatten(0, 2)[:, None, None]
        points = patches.flatten(0, 2)  # (B ny nx, L, D)

        k, v = self._keys_values(self.encode(points))
        latent = self.latent.expand(len(points), -1, -1, -1)
        tokens = latent + latent_attention(latent, k, v, real)
        tokens = self.update(merge_heads(tokens))  # (B ny nx, T, D)
        k, v = self._keys_values(self.decode(tokens))
        q = split_heads(self.query(points), self.heads)
        mixed = self.out(merge_heads(latent_attention(q, k, v)))
        return (h + from_patches(mixed.view(patches.shape), h.shape[1:3])).permute(0, 3, 1, 2)

    def _keys_values(self, z: Tensor) -> tuple[Tensor, ...]:  # (B ny nx, H, ..., C) each
        return split_heads(z, self.heads).chunk(2, dim=-1)


class BasisUpdate(nn.Module):
    """z + w₀ + Σ_k (s_k sin(π k z / K) + c_k cos(π k z / K)), k = 1 .. K, weights per channel."""

    steps: Tensor

    def __init__(self, dim: int, num_basis: int) -> None:
        super().__init__()
        steps = math.pi * torch.arange(1, num_basis + 1) / num_basis
        self.register_buffer("steps", steps, persistent=False)
        self.constant = nn.Parameter(torch.zeros(dim))
        self.sin, self.cos = (
            nn.Parameter(torch.randn(dim, num_basis) / (2 * num_basis)) for _ in range(2)
        )

    def forward(self, z: Tensor) -> Tensor:  # (..., D)
        angles = z.unsqueeze(-1) * self.steps  # (..., D, K)
        series = (self.sin * angles.sin() + self.cos * angles.cos()).sum(-1)
        return z + self.constant + series
