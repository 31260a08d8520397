"""Geo-FNO: Fourier layers behind a learned deformation of the domain.

On structured meshes the index grid is the computational domain, and the model is an FNO on it.
Scattered points are moved by a learned map ξ = φ⁻¹(x); a Fourier transform at the ξ takes their
features to a regular latent grid, Fourier layers act there, and an inverse transform at the ξ
takes them back. The transforms are explicit sums over points and modes, N · M numbers per sample.

Shapes: B batch, N points, D width, d space dimensions, m modes, M = (2m)^(d-1) m of them in all.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from llt.models.base import ALL, Operator
from llt.nn.encoding import fourier_features, unit_grid
from llt.nn.feedforward import mlp
from llt.nn.spectral import (
    FourierStack,
    check_settings,
    points_to_spectrum,
    resize,
    spectrum_sizes,
    spectrum_to_points,
    to_grid,
    to_spectrum,
    waves,
)
from llt.nn.transformer import PointEmbedding
from llt.problem import Problem


class GeoFNO(Operator):
    """Lifting, to the latent grid, Fourier layers, back to the points, projection."""

    paper = "Li et al.: Fourier Neural Operator with Learned Deformations for PDEs, 2023"
    summary = "Fourier layers on a latent grid that points reach through a learned deformation"
    supports = ALL

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 32,
        modes: int = 12,  # of either sign, per axis
        num_layers: int = 4,  # on point sets the authors take 5
        latent: int = 40,  # points per axis of the latent grid, for point sets
        padding: float = 0.1,  # of each axis, with zeros, on structured meshes
    ) -> None:
        super().__init__()
        check_settings(dim=dim, modes=modes, num_layers=num_layers, latent=latent, padding=padding)
        self.problem = problem
        d, structured = problem.space_dim, problem.grid is not None
        self.lift = PointEmbedding(d + problem.in_channels, dim, timed=problem.timed, shift=False)
        self.latent = None if structured else LatentGrid(dim, modes=modes, size=latent, space_dim=d)
        self.layers = FourierStack(
            dim,
            modes=modes,
            space_dim=d,
            num_layers=num_layers,
            padding=padding if structured else 0,
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
        h = self.lift(torch.cat((x, a), dim=-1), t)
        if self.latent is None:
            image = h.transpose(1, 2).unflatten(-1, self.grid_of(x, grid))  # (B, D, *grid)
            h = self.layers(image).flatten(2).transpose(1, 2)
        else:
            waves = self.latent.waves(x)
            image = self.latent.enter(h, waves, mask)  # (B, D, *latent)
            h = self.latent.leave(self.layers(image), waves, x)
        u = self.project(h)
        return u if mask is None else u * mask.unsqueeze(-1)


class LatentGrid(nn.Module):
    """A regular grid that points reach and leave through their Fourier coefficients at φ⁻¹(x).

    Either way ends with a linear map of the coordinates added.
    """

    def __init__(self, dim: int, *, modes: int, size: int, space_dim: int) -> None:
        super().__init__()
        self.modes, self.grid = modes, (size,) * space_dim
        self.sizes = spectrum_sizes(modes, space_dim)
        self.deformation = Deformation(space_dim)
        self.grid_position = nn.Linear(space_dim, dim)
        self.point_position = nn.Linear(space_dim, dim)

    def waves(self, x: Tensor) -> Tensor:
        return waves(self.deformation(x), self.modes)  # (B, N, M)

    def enter(self, h: Tensor, waves: Tensor, mask: Tensor | None) -> Tensor:
        """Features of the points, on the grid: (B, N, D) -> (B, D, *grid)."""
        spectrum = points_to_spectrum(h, waves, mask).unflatten(-1, self.sizes)
        image = to_grid(resize(spectrum, (*self.grid[:-1], self.modes)), self.grid)
        position = self.grid_position(unit_grid(self.grid, h.device).to(h.dtype))  # (size^d, D)
        return image + position.T.unflatten(-1, self.grid)

    def leave(self, image: Tensor, waves: Tensor, x: Tensor) -> Tensor:
        """Features of the grid, at the points: (B, D, *grid) -> (B, N, D)."""
        spectrum = resize(to_spectrum(image), self.sizes)
        return spectrum_to_points(spectrum, waves) + self.point_position(x)


class Deformation(nn.Module):
    """φ⁻¹(x) = x + x ⊙ MLP(x, distance and direction from the center, sines and cosines of all).

    The direction is the polar angle without its jump, in any dimension. φ⁻¹ starts as the identity.
    """

    def __init__(self, space_dim: int, *, hidden: int = 128, bands: int = 8) -> None:
        super().__init__()
        self.bands = bands
        self.mlp = mlp((2 * space_dim + 1) * (2 * bands + 1), hidden, space_dim)
        for parameter in self.mlp[-1].parameters():
            nn.init.zeros_(parameter)

    def forward(self, x: Tensor) -> Tensor:  # (B, N, d), both ways
        # the highest mode turns an error of the position into a phase error 2πm times as large
        with torch.autocast(x.device.type, enabled=False):
            arrow = x - 0.5
            distance = arrow.square().sum(-1, keepdim=True).clamp(min=1e-12).sqrt()
            place = torch.cat((x, distance, arrow / distance), dim=-1)
            place = torch.cat((place, fourier_features(math.pi * place, self.bands)), dim=-1)
            return x + x * self.mlp(place)
