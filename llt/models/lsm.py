"""Latent Spectral Model.

A U-Net whose features on every scale pass a neural spectral block: patch by patch they are
projected to a few latent tokens by cross-attention, the tokens are updated by a trigonometric
series of themselves, and sent back by cross-attention. The grid is padded until it can be halved
on every scale; the coarsest scale is one patch, the next has 2 x 2 of the same size, and so on.
Point sets reach a latent grid through Geo-FNO's learned deformation.

Shapes: B batch, Ny x Nx grid, D width, H heads, C channels per head, L points a patch, T tokens,
K terms of the series.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import ALL, SPACE, Operator
from llt.nn.feedforward import mlp
from llt.nn.latent_grid import Deformation, LatentGrid
from llt.nn.lifting import Lifting
from llt.nn.linear import Linear
from llt.nn.spectral import crop, init_uniform
from llt.nn.transformer import check_sizes, latent_attention, merge_heads, split_heads
from llt.nn.unet import double_conv
from llt.problem import Problem


class LSM(Operator):
    """Lifting, U-Net with a spectral block on every scale, pointwise readout."""

    paper = "Wu et al.: Solving High-Dimensional PDEs with Latent Spectral Models, 2023"
    summary = "U-Net with spectral updates of latent tokens on every scale"
    supports = ALL - {SPACE}

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 32,
        num_scales: int = 5,
        heads: int = 8,
        num_tokens: int = 4,
        num_basis: int = 12,
        latent: int = 96,  # points per axis of the latent grid, for point sets
        modes: int = 12,  # of either sign, per axis, on the way there and back
    ) -> None:
        super().__init__()
        check_sizes(
            dim=dim,
            heads=heads,
            num_scales=num_scales,
            num_tokens=num_tokens,
            num_basis=num_basis,
            latent=latent,
            modes=modes,
        )
        self.problem = problem
        self.lift = Lifting(problem, dim)
        self.latent: LatentGrid | None = None
        if problem.grid is None:
            deformation = Deformation(problem.space_dim, first=True)
            self.latent = LatentGrid(dim, modes=modes, size=latent, deformation=deformation)
            init_uniform(self.latent)
        self.unet = SpectralUNet(
            dim, num_scales, heads=heads, num_tokens=num_tokens, num_basis=num_basis
        )
        self.readout = mlp(dim, 128, problem.out_channels)

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
        if self.latent is None:
            grid = self.grid_of(x, grid)
            image = self.lift(x, a, t, grid).transpose(1, 2).unflatten(-1, grid)  # (B, D, *grid)
            h = self.unet(image).flatten(2).transpose(1, 2)
        else:
            waves = self.latent.waves(x)
            image = F.gelu(self.latent.enter(self.lift(x, a, t), waves, mask))  # (B, D, *latent)
            h = self.latent.leave(self.unet(image), waves, x)
        u = self.readout(h)
        return u if mask is None else u * mask.unsqueeze(-1)


class SpectralUNet(nn.Module):
    """Halves the grid and doubles the width, all but the last time, and goes back."""

    def __init__(self, dim: int, num_scales: int, **block: int) -> None:
        super().__init__()
        convolutions = partial(double_conv, norm=nn.BatchNorm2d)
        widths = [dim * 2**scale for scale in range(num_scales - 1)]
        widths.append(widths[-1] if widths else dim)
        self.stem = convolutions(dim, dim, dim)
        self.down = nn.ModuleList(convolutions(a, b, b) for a, b in pairwise(widths))
        self.spectral = nn.ModuleList(SpectralBlock(width, **block) for width in widths)
        # what comes from below has been brought to the width of this scale
        self.up = nn.ModuleList(
            convolutions(2 * width, width, finer) for finer, width in pairwise([dim, *widths[:-1]])
        )
        self.out = nn.Conv2d(dim, dim, 1)

    def forward(self, image: Tensor) -> Tensor:  # (B, D, Ny, Nx), both ways
        Ny, Nx = image.shape[2:]
        patches = 2 ** len(self.down)  # along an axis, on the finest scale
        scales = [self.stem(F.pad(image, (0, -Nx % patches, 0, -Ny % patches)))]
        for down in self.down:
            scales.append(down(F.max_pool2d(scales[-1], 2)))
        *finer, image = (
            block(z, patches >> scale)
            for scale, (block, z) in enumerate(zip(self.spectral, scales, strict=True))
        )
        for up, skip in zip(reversed(self.up), reversed(finer), strict=True):
            image = F.interpolate(image, scale_factor=2, mode="bilinear", align_corners=True)
            image = up(torch.cat((skip, image), dim=1))
        return crop(self.out(image), (Ny, Nx))


class SpectralBlock(nn.Module):
    """h + decode(update(encode(h))) in every patch; latent tokens are the same for all patches.

    Scores are not scaled, and the updated tokens are keys and values themselves.
    """

    def __init__(self, dim: int, *, heads: int, num_tokens: int, num_basis: int) -> None:
        super().__init__()
        self.heads = heads
        self.latent = nn.Parameter(torch.rand(heads, num_tokens, dim // heads) / dim)
        self.key_value, self.query = Linear(dim, 2 * dim), Linear(dim, dim)
        self.update = BasisUpdate(dim, num_basis)

    def forward(self, image: Tensor, patches: int) -> Tensor:  # (B, D, Ny, Nx), both ways
        h = image.permute(0, 2, 3, 1)
        h = h.unflatten(2, (patches, -1)).unflatten(1, (patches, -1)).transpose(2, 3)
        points = h.flatten(3, 4).flatten(0, 2)  # (B patches², L, D)

        k, v = (split_heads(z, self.heads) for z in self.key_value(points).chunk(2, dim=-1))
        latent = self.latent.expand(len(points), -1, -1, -1)
        tokens = latent + latent_attention(latent, k, v, scale=1.0)
        tokens = split_heads(self.update(merge_heads(tokens)), self.heads)  # (.., H, T, C)
        q = split_heads(self.query(points), self.heads)
        points = points + merge_heads(latent_attention(q, tokens, tokens, scale=1.0))
        h = points.view(h.shape).transpose(2, 3).flatten(3, 4).flatten(1, 2)
        return h.permute(0, 3, 1, 2)


class BasisUpdate(nn.Module):
    """z + Σ_k (s_k sin(π k z / K) + c_k cos(π k z / K)), k = 0 .. K-1, weights per channel."""

    steps: Tensor

    def __init__(self, dim: int, num_basis: int) -> None:
        super().__init__()
        steps = math.pi * torch.arange(num_basis) / num_basis
        self.register_buffer("steps", steps, persistent=False)
        self.weight = nn.Parameter(torch.rand(dim, 2 * num_basis) / dim)  # of sines, then cosines

    def forward(self, z: Tensor) -> Tensor:  # (..., D)
        angles = z.unsqueeze(-1) * self.steps  # (..., D, K)
        basis = torch.cat((angles.sin(), angles.cos()), dim=-1)
        return z + (self.weight * basis).sum(-1)
