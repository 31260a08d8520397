"""A regular grid behind a learned deformation of the domain, as in Geo-FNO.

Scattered points are moved by a learned map ξ = φ⁻¹(x); a Fourier transform at the ξ takes their
features to the grid, and an inverse transform at the ξ takes features of the grid back. The
transforms are explicit sums over points and modes, N · M numbers per sample.

Shapes: B batch, N points, D width, d space dimensions, m modes, M = (2m)^(d-1) m of them in all.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from llt.nn.encoding import fourier_features, unit_grid
from llt.nn.linear import Linear
from llt.nn.spectral import (
    SpectralConv,
    points_to_spectrum,
    resize,
    spectrum_sizes,
    spectrum_to_points,
    to_grid,
    to_spectrum,
    waves,
)


class LatentGrid(nn.Module):
    """A grid that points reach and leave through their Fourier coefficients at φ⁻¹(x).

    On the way out every coefficient is multiplied by a matrix, with `mixed` also on the way in;
    either way ends with a linear map of the coordinates added. As published, the transforms at
    the points are sums, and those on the grid means of its points on the way in.
    """

    def __init__(
        self, dim: int, *, modes: int, size: int, deformation: Deformation, mixed: bool = True
    ) -> None:
        super().__init__()
        d = deformation.space_dim
        self.modes, self.grid = modes, (size,) * d
        self.sizes = spectrum_sizes(modes, d)
        self.deformation = deformation
        self.enters = SpectralConv(dim, dim, modes=modes, space_dim=d) if mixed else None
        self.leaves = SpectralConv(dim, dim, modes=modes, space_dim=d)
        self.grid_position, self.point_position = Linear(d, dim), Linear(d, dim)

    def waves(self, x: Tensor) -> Tensor:
        return waves(self.deformation(x), self.modes)  # (B, N, M)

    def enter(self, h: Tensor, waves: Tensor, mask: Tensor | None) -> Tensor:
        """Features of the points, on the grid: (B, N, D) -> (B, D, *grid)."""
        spectrum = points_to_spectrum(h, waves, mask).unflatten(-1, self.sizes)
        if self.enters is not None:
            spectrum = self.enters.mix(spectrum)
        image = to_grid(resize(spectrum, (*self.grid[:-1], self.modes)), self.grid)
        return image / math.prod(self.grid) + self.place(self.grid_position)

    def leave(self, image: Tensor, waves: Tensor, x: Tensor) -> Tensor:
        """Features of the grid, at the points: (B, D, *grid) -> (B, N, D)."""
        spectrum = self.leaves.mix(resize(to_spectrum(image), self.sizes))
        h = spectrum_to_points(spectrum, waves) * math.prod(self.grid)
        return h + self.point_position(x)

    def place(self, position: nn.Module) -> Tensor:
        """A linear map of the grid's own coordinates: (D, *grid)."""
        like = self.grid_position.weight
        placed: Tensor = position(unit_grid(self.grid, like.device, like.dtype))
        return placed.T.unflatten(-1, self.grid)


class Deformation(nn.Module):
    """φ⁻¹(x) = x + x ⊙ MLP(x, angles and distance from the center, sines and cosines of all).

    The published one is for the plane, in two versions: the `first`, which other models took over,
    has three hidden layers of tanh and looks from the corner at zero. Space has a second angle.
    """

    def __init__(self, space_dim: int, *, width: int = 32, first: bool = False) -> None:
        super().__init__()
        self.space_dim, self.bands = space_dim, width // 4
        self.center = 1e-4 if first else 0.5
        places = 2 * space_dim
        self.lift = Linear(places, width)
        hidden = 4 * width
        layers: list[nn.Module] = [Linear(width + 2 * self.bands * places, hidden)]
        for _ in range(3 if first else 2):
            layers += [Linear(hidden, hidden), nn.Tanh() if first else nn.GELU()]
        self.mlp = nn.Sequential(*layers, Linear(hidden, space_dim))

    def forward(self, x: Tensor) -> Tensor:  # (B, N, d), both ways
        # the highest mode turns an error of the position into a phase error 2πm times as large
        with torch.autocast(x.device.type, enabled=False):
            place = torch.cat((x, polar(x - self.center)), dim=-1)
            features = fourier_features(math.pi * place, self.bands)
            moved: Tensor = x + x * self.mlp(torch.cat((self.lift(place), features), dim=-1))
            return moved


def polar(arrow: Tensor) -> Tensor:
    """Angles and length of vectors (..., d): (..., d), the length last."""
    angles = [torch.atan2(arrow[..., 1], arrow[..., 0])]
    if arrow.shape[-1] == 3:
        angles.append(torch.atan2(arrow[..., 2], length(arrow[..., :2])))
    return torch.stack((*angles, length(arrow)), dim=-1)


def length(arrow: Tensor) -> Tensor:
    return arrow.square().sum(-1).clamp(min=1e-12).sqrt()  # with a derivative at zero
