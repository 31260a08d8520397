"""Geo-FNO: Fourier layers behind a learned deformation of the domain.

On structured meshes the index grid is the computational domain, and the model is an FNO on it. On
point sets the first Fourier layer takes features from the points to a regular latent grid, through
a learned deformation, and the last one back; the layers between act on the grid.

Shapes: B batch, N points, D width, d space dimensions.
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from llt.errors import ConfigError
from llt.models.base import ALL, Operator
from llt.nn.feedforward import mlp
from llt.nn.latent_grid import Deformation, LatentGrid
from llt.nn.lifting import Lifting
from llt.nn.linear import Linear
from llt.nn.spectral import (
    FourierLayer,
    FourierStack,
    check_settings,
    crop,
    extend,
    init_uniform,
    modes_per_axis,
)
from llt.problem import Problem


class GeoFNO(Operator):
    """Lifting, L Fourier layers on the padded or the latent grid, projection."""

    paper = "Li et al.: Fourier Neural Operator with Learned Deformations for PDEs, 2023"
    summary = "Fourier layers on a latent grid that points reach through a learned deformation"
    supports = ALL

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 32,
        modes: int = 12,  # of either sign, per axis
        first_modes: int = 0,  # along the first axis of a structured mesh; 0: the same
        num_layers: int = 4,  # on point sets with the ways to the grid and back
        latent: int = 40,  # points per axis of the latent grid, for point sets
        padding: int = 8,  # zeros behind the end of every axis, on structured meshes
    ) -> None:
        super().__init__()
        check_settings(dim=dim, modes=modes, num_layers=num_layers, latent=latent)
        if padding < 0:
            raise ConfigError(f"padding={padding} must be at least 0")
        self.problem, self.padding = problem, padding
        d = problem.space_dim
        self.lift = Lifting(problem, dim)
        self.layers = (
            PointStack(dim, modes=modes, space_dim=d, num_layers=num_layers, latent=latent)
            if problem.grid is None
            else FourierStack(
                dim, modes=modes_per_axis(modes, first_modes, d), space_dim=d, num_layers=num_layers
            )
        )
        self.project = mlp(dim, 128, problem.out_channels)
        init_uniform(self)

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
        if isinstance(self.layers, PointStack):
            h = self.layers(self.lift(x, a, t), x, mask)
        else:
            grid = self.grid_of(x, grid)
            image = self.lift(x, a, t, grid).transpose(1, 2).unflatten(-1, grid)  # (B, D, *grid)
            image = crop(self.layers(extend(image, self.padding)), grid)
            h = image.flatten(2).transpose(1, 2)
        u = self.project(h)
        return u if mask is None else u * mask.unsqueeze(-1)


class PointStack(nn.Module):
    """L Fourier layers with σ between them, the first from the points to a grid, the last back.

    Those on the grid add a linear map of its coordinates.
    """

    def __init__(
        self, dim: int, *, modes: int, space_dim: int, num_layers: int, latent: int
    ) -> None:
        super().__init__()
        if num_layers < 2:
            raise ConfigError(f"num_layers={num_layers} must be at least 2 on point sets")
        deformation = Deformation(space_dim)
        self.latent = LatentGrid(dim, modes=modes, size=latent, deformation=deformation)
        inner = range(num_layers - 2)
        self.layers = nn.ModuleList(
            FourierLayer(dim, modes=modes, space_dim=space_dim) for _ in inner
        )
        self.positions = nn.ModuleList(Linear(space_dim, dim) for _ in inner)

    def forward(self, h: Tensor, x: Tensor, mask: Tensor | None) -> Tensor:  # (B, N, D), both ways
        waves = self.latent.waves(x)
        image = F.gelu(self.latent.enter(h, waves, mask))  # (B, D, *latent)
        for layer, position in zip(self.layers, self.positions, strict=True):
            image = F.gelu(layer(image) + self.latent.place(position))
        return self.latent.leave(image, waves, x)
