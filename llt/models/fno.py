"""Fourier Neural Operator.

Lift to D channels, L layers h ← σ(K h + W h) with K a convolution in Fourier space, project. The
last layer has no σ. Zeros behind the ends of the axes make room for fields that are not periodic.

Shapes: B batch, N points, D width.
"""

from __future__ import annotations

from torch import Tensor

from llt.errors import ConfigError
from llt.models.base import GRIDS, Operator
from llt.nn.feedforward import mlp
from llt.nn.lifting import Lifting
from llt.nn.spectral import FourierStack, check_settings, crop, extend, init_uniform
from llt.problem import Problem


class FNO(Operator):
    """Lifting, L Fourier layers on the padded grid, projection."""

    paper = "Li et al.: Fourier Neural Operator for Parametric Partial Differential Equations, 2021"
    summary = "learned convolutions on the lowest Fourier modes of a regular grid"
    supports = GRIDS

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 32,
        modes: int = 12,  # of either sign, per axis
        num_layers: int = 4,
        padding: int = 9,  # zeros behind the end of every axis; 0 for periodic fields
    ) -> None:
        super().__init__()
        check_settings(dim=dim, modes=modes, num_layers=num_layers)
        if padding < 0:
            raise ConfigError(f"padding={padding} must be at least 0")
        self.problem, self.padding = problem, padding
        self.lift = Lifting(problem, dim)
        self.layers = FourierStack(
            dim, modes=modes, space_dim=problem.space_dim, num_layers=num_layers
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
        grid = self.grid_of(x, grid)
        image = self.lift(x, a, t, grid).transpose(1, 2).unflatten(-1, grid)  # (B, D, *grid)
        image = crop(self.layers(extend(image, self.padding)), grid)
        return self.project(image.flatten(2).transpose(1, 2))
