"""Factorized Fourier Neural Operator.

    h ← h + MLP(Σ_axes K_axis h)

K_axis is a convolution in the Fourier space of that axis alone, with weights of its own: m modes
per axis instead of their products allow many layers. The residual stands around the feed-forward
network. On structured meshes the output is read from the change that the last layer makes. Point
sets go through Geo-FNO's learned deformation to a latent grid; the last layer is the way back.

Shapes: B batch, N points, D width.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from llt.errors import ConfigError
from llt.models.base import ALL, Operator
from llt.nn.feedforward import mlp
from llt.nn.latent_grid import Deformation, LatentGrid
from llt.nn.lifting import Lifting
from llt.nn.linear import Linear
from llt.nn.spectral import (
    SpectralConv,
    check_settings,
    crop,
    extend,
    init_uniform,
    modes_per_axis,
)
from llt.problem import Problem


class FFNO(Operator):
    """Lifting, L factorized layers on the padded or latent grid, projection."""

    paper = "Tran et al.: Factorized Fourier Neural Operators, 2023"
    summary = "deep residual Fourier layers, one transform per axis"
    supports = ALL

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 64,
        modes: int = 16,  # per axis
        first_modes: int = 0,  # along the first axis of a structured mesh; 0: the same
        num_layers: int = 24,
        mlp_ratio: int = 4,
        latent: int = 64,  # points per axis of the latent grid, for point sets
        padding: int = 8,  # zeros behind the end of every axis, on structured meshes
    ) -> None:
        super().__init__()
        check_settings(
            dim=dim, modes=modes, num_layers=num_layers, mlp_ratio=mlp_ratio, latent=latent
        )
        if padding < 0:
            raise ConfigError(f"padding={padding} must be at least 0")
        self.problem, self.padding = problem, padding
        d, structured = problem.space_dim, problem.grid is not None
        self.lift = Lifting(problem, dim)
        self.latent: LatentGrid | None = None
        if structured:
            weight_norm(self.lift.linear)
            self.project = nn.Sequential(
                weight_norm(Linear(dim, 128)), weight_norm(Linear(128, problem.out_channels))
            )
        else:
            self.latent = LatentGrid(
                dim,
                modes=modes,
                size=latent,
                deformation=Deformation(d, width=64, first=True),
                mixed=False,
            )
            init_uniform(self.latent)
            self.project = mlp(dim, 128, problem.out_channels)
        per_axis = modes_per_axis(modes, first_modes if structured else 0, d)
        self.blocks = nn.ModuleList(
            FactorizedChange(dim, modes=per_axis, mlp_ratio=mlp_ratio)
            for _ in range(num_layers if structured else num_layers - 1)
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
        if self.latent is None:
            grid = self.grid_of(x, grid)
            image = self.lift(x, a, t, grid).transpose(1, 2).unflatten(-1, grid)  # (B, D, *grid)
            h = crop(self._last_change(extend(image, self.padding)), grid)
            h = h.flatten(2).transpose(1, 2)
        else:
            waves = self.latent.waves(x)
            image = self.latent.enter(self.lift(x, a, t), waves, mask)  # (B, D, *latent)
            for block in self.blocks:
                image = image + block(image) + self.latent.place(self.latent.grid_position)
            h = self.latent.leave(image, waves, x)
        u = self.project(h)
        return u if mask is None else u * mask.unsqueeze(-1)

    def _last_change(self, image: Tensor) -> Tensor:
        *blocks, last = self.blocks
        for block in blocks:
            image = image + block(image)
        change: Tensor = last(image)
        return change


class FactorizedChange(nn.Module):
    """MLP(Σ_axes K_axis h), the MLP's weights normalized."""

    def __init__(self, dim: int, *, modes: tuple[int, ...], mlp_ratio: int) -> None:
        super().__init__()
        self.spectral = FactorizedConv(dim, modes=modes)
        self.mlp = nn.Sequential(
            weight_norm(Linear(dim, mlp_ratio * dim)),
            nn.ReLU(),
            weight_norm(Linear(mlp_ratio * dim, dim)),
        )

    def forward(self, h: Tensor) -> Tensor:  # (B, D, *grid), both ways
        change: Tensor = self.mlp(self.spectral(h).movedim(1, -1)).movedim(-1, 1)
        return change


class FactorizedConv(nn.Module):
    """Σ_axes K_axis h."""

    def __init__(self, dim: int, *, modes: tuple[int, ...]) -> None:
        super().__init__()
        convs = [SpectralConv(dim, dim, modes=m, space_dim=1) for m in modes]
        for conv in convs:
            nn.init.xavier_normal_(conv.weight)
        self.convs = nn.ModuleList(convs)

    def forward(self, h: Tensor) -> Tensor:
        parts = [_along(conv, h, axis) for axis, conv in enumerate(self.convs, start=2)]
        return torch.stack(parts).sum(0)


def _along(conv: nn.Module, h: Tensor, axis: int) -> Tensor:
    """Apply a one-dimensional convolution to all lines of the grid along an axis."""
    lines = h.movedim((1, axis), (-2, -1))  # (B, .., D, n)
    return conv(lines.flatten(0, -3)).view(lines.shape).movedim((-2, -1), (1, axis))
