"""Fourier Neural Operator.

Lift to D channels, L layers h ← σ(K h + W h) with K a convolution in Fourier space, project. The
last layer has no σ. Lifting is a two-layer MLP, and time is added to the lifted features.

Shapes: B batch, N points, D width.
"""

from __future__ import annotations

import torch
from torch import Tensor

from llt.models.base import GRIDS, Operator
from llt.nn.feedforward import mlp
from llt.nn.spectral import FourierStack, check_settings
from llt.nn.transformer import PointEmbedding
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
        padding: float = 0.1,  # of each axis, with zeros; 0 for periodic fields
    ) -> None:
        super().__init__()
        check_settings(dim=dim, modes=modes, num_layers=num_layers, padding=padding)
        self.problem = problem
        d = problem.space_dim
        self.lift = PointEmbedding(d + problem.in_channels, dim, timed=problem.timed, shift=False)
        self.layers = FourierStack(
            dim, modes=modes, space_dim=d, num_layers=num_layers, padding=padding
        )
        self.project = mlp(dim, 4 * dim, problem.out_channels)

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
        h = self.lift(torch.cat((x, a), dim=-1), t)
        h = self.layers(h.transpose(1, 2).unflatten(-1, grid))  # (B, D, *grid)
        return self.project(h.flatten(2).transpose(1, 2))
