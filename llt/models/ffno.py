"""Factorized Fourier Neural Operator.

    h ← h + MLP(Σ_axes K_axis h)

K_axis is a convolution in the Fourier space of that axis alone, with weights of its own: m modes
per axis instead of their products allow many layers. The residual stands around the feed-forward
network. Point sets go through Geo-FNO's learned deformation to a latent grid.

Shapes: B batch, N points, D width.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from llt.models.base import ALL, Operator
from llt.models.geofno import LatentGrid
from llt.nn.feedforward import mlp
from llt.nn.spectral import SpectralConv, check_settings, crop, pad
from llt.nn.transformer import PointEmbedding
from llt.problem import Problem


class FFNO(Operator):
    """Lifting, L factorized blocks on the padded or latent grid, projection."""

    paper = "Tran et al.: Factorized Fourier Neural Operators, 2023"
    summary = "deep residual Fourier layers, one transform per axis"
    supports = ALL

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 64,
        modes: int = 16,  # per axis
        num_layers: int = 24,
        mlp_ratio: int = 4,
        latent: int = 64,  # points per axis of the latent grid, for point sets
        padding: float = 0.1,  # of each axis, with zeros, on structured meshes
    ) -> None:
        super().__init__()
        check_settings(
            dim=dim,
            modes=modes,
            num_layers=num_layers,
            mlp_ratio=mlp_ratio,
            latent=latent,
            padding=padding,
        )
        self.problem, self.padding = problem, padding
        d, structured = problem.space_dim, problem.grid is not None
        self.lift = PointEmbedding(d + problem.in_channels, dim, timed=problem.timed, shift=False)
        self.latent = None if structured else LatentGrid(dim, modes=modes, size=latent, space_dim=d)
        self.blocks = nn.Sequential(
            *(
                FactorizedBlock(dim, modes=modes, space_dim=d, mlp_ratio=mlp_ratio)
                for _ in range(num_layers)
            )
        )
        self.project = mlp(dim, 2 * dim, problem.out_channels)

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
        h = self.lift(torch.cat((x, a), dim=-1), t)
        if self.latent is None:
            grid = self.grid_of(x, grid)
            image = pad(h.transpose(1, 2).unflatten(-1, grid), self.padding)  # (B, D, *grid)
            h = crop(self.blocks(image), grid).flatten(2).transpose(1, 2)
        else:
            waves = self.latent.waves(x)
            image = self.latent.enter(h, waves, mask)  # (B, D, *latent)
            h = self.latent.leave(self.blocks(image), waves, x)
        u = self.project(h)
        return u if mask is None else u * mask.unsqueeze(-1)


class FactorizedBlock(nn.Module):
    """h + MLP(Σ_axes K_axis h), the MLP's weights normalized."""

    def __init__(self, dim: int, *, modes: int, space_dim: int, mlp_ratio: int) -> None:
        super().__init__()
        self.spectral = FactorizedConv(dim, modes=modes, space_dim=space_dim)
        self.mlp = nn.Sequential(
            weight_norm(nn.Linear(dim, mlp_ratio * dim)),
            nn.ReLU(),
            weight_norm(nn.Linear(mlp_ratio * dim, dim)),
        )

    def forward(self, h: Tensor) -> Tensor:  # (B, D, *grid), both ways
        return h + self.mlp(self.spectral(h).movedim(1, -1)).movedim(-1, 1)


class FactorizedConv(nn.Module):
    """Σ_axes K_axis h."""

    def __init__(self, dim: int, *, modes: int, space_dim: int) -> None:
        super().__init__()
        self.convs = nn.ModuleList(
            SpectralConv(dim, dim, modes=modes, space_dim=1) for _ in range(space_dim)
        )

    def forward(self, h: Tensor) -> Tensor:
        parts = [_along(conv, h, axis) for axis, conv in enumerate(self.convs, start=2)]
        return torch.stack(parts).sum(0)


def _along(conv: nn.Module, h: Tensor, axis: int) -> Tensor:
    """Apply a one-dimensional convolution to all lines of the grid along an axis."""
    lines = h.movedim((1, axis), (-2, -1))  # (B, .., D, n)
    return conv(lines.flatten(0, -3)).view(lines.shape).movedim((-2, -1), (1, axis))
