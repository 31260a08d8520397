"""Convolutions in Fourier space, on grids and on scattered points.

    (K h)(x) = Σ W(k) ĥ(k) exp(2πi k·x)   over the lowest frequencies k of both signs

A spectrum stands in FFT order: frequencies 0, 1, .., -2, -1 along every axis but the last, which
holds only 0, 1, .., since fields are real. It is scaled by 1 / N and so does not depend on the
resolution. Spectra are computed in float32, also under autocast.

Shapes: B batch, N points, D width, d space dimensions, m modes, M = (2m)^(d-1) m of them in all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.errors import ConfigError

CONV: dict[int, type[nn.Conv2d] | type[nn.Conv3d]] = {2: nn.Conv2d, 3: nn.Conv3d}


class SpectralConv(nn.Module):
    """A complex matrix W(k) per frequency; `grid` asks for the result on another grid."""

    def __init__(
        self, in_dim: int, out_dim: int, *, modes: int | tuple[int, ...], space_dim: int
    ) -> None:
        super().__init__()
        sizes = spectrum_sizes(modes, space_dim)
        self.modes = sizes[-1]
        # real and imaginary parts apart: every optimizer and file format knows real numbers
        weight = torch.randn(in_dim, out_dim, *sizes, 2)
        self.weight = nn.Parameter(weight / (in_dim + out_dim) ** 0.5)

    def forward(self, h: Tensor, grid: tuple[int, ...] | None = None) -> Tensor:
        grid = grid or tuple(h.shape[2:])
        spectrum, weight = to_spectrum(h), _complex(self.weight)
        mixed = spectrum.new_zeros(len(h), weight.shape[1], *grid[:-1], self.modes)
        for low in _lowest(spectrum, mixed, weight):
            mixed[low] = torch.einsum("bi...,io...->bo...", spectrum[low], weight[low])
        return to_grid(mixed, grid)  # (B, D, *grid)

    def mix(self, spectrum: Tensor) -> Tensor:
        """W(k) times a spectrum of just the frequencies it knows, (B, D, 2m, .., m) both ways."""
        return torch.einsum("bi...,io...->bo...", spectrum, _complex(self.weight))


def _complex(weight: Tensor) -> Tensor:
    """A view, or a copy of a weight that begins at an odd place of the vector it is a part of.

    A compiler does not know where it begins, and a view would not do in all places.
    """
    if torch.compiler.is_compiling():
        return torch.complex(*weight.unbind(-1))
    return torch.view_as_complex(weight if weight.storage_offset() % 2 == 0 else weight.clone())


def init_uniform(module: nn.Module) -> None:
    """Spectral weights as FNO's authors start them: both parts uniform in [0, 1 / (in out)]."""
    for part in module.modules():
        if isinstance(part, SpectralConv):
            nn.init.uniform_(part.weight, 0, 1 / math.prod(part.weight.shape[:2]))


def spectrum_sizes(modes: int | tuple[int, ...], space_dim: int) -> tuple[int, ...]:
    *first, last = (modes,) * space_dim if isinstance(modes, int) else modes
    return (*(2 * m for m in first), last)


def modes_per_axis(modes: int, first_modes: int, space_dim: int) -> tuple[int, ...]:
    """`modes` along every axis but the first, which has its own number where that is not 0."""
    return (first_modes or modes,) + (modes,) * (space_dim - 1)


def resize(spectrum: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """The same lowest frequencies in a spectrum of other sizes, zero where there were none."""
    resized = spectrum.new_zeros(*spectrum.shape[:2], *sizes)
    for low in _lowest(spectrum, resized):
        resized[low] = spectrum[low]
    return resized


def _lowest(*spectra: Tensor) -> Iterable[tuple[slice, ...]]:
    """Slices of the frequencies that all hold: either sign of every axis but the last."""
    *first, last = map(min, *(spectrum.shape[2:] for spectrum in spectra))
    signs = [[slice((n + 1) // 2), slice(-(n // 2), None)][: min(n, 2)] for n in first]
    return product([slice(None)], [slice(None)], *signs, [slice(last)])


def to_spectrum(h: Tensor) -> Tensor:
    """Fourier coefficients of fields (B, D, *grid)."""
    return torch.fft.rfftn(_wide(h), dim=list(range(2, h.ndim)), norm="forward")


def to_grid(spectrum: Tensor, grid: tuple[int, ...]) -> Tensor:
    """Fields (B, D, *grid) of a spectrum, whose last axis may be too short or too long."""
    for axis in range(2, spectrum.ndim - 1):
        spectrum = torch.fft.ifft(spectrum, dim=axis, norm="forward")
    # W takes the frequencies that are their own mirror image out of the real numbers; without
    # their imaginary part all devices agree on the inverse
    k = torch.arange(spectrum.shape[-1], device=spectrum.device)
    imaginary = spectrum.imag * (2 * k % grid[-1] != 0)
    spectrum = torch.complex(spectrum.real, imaginary)
    return torch.fft.irfft(spectrum, n=grid[-1], norm="forward")


def waves(x: Tensor, modes: int) -> Tensor:
    """exp(2πi k·x) at points (B, N, d) for all frequencies of a spectrum: (B, N, M)."""
    k = torch.arange(modes, device=x.device)
    both = torch.cat((k, k - modes))
    *first, last = (2j * math.pi * _wide(x)).unsqueeze(-1).unbind(-2)  # d of (B, N, 1)
    basis = torch.exp(last * k)
    for angle in reversed(first):
        basis = (torch.exp(angle * both).unsqueeze(-1) * basis.unsqueeze(-2)).flatten(2)
    return basis


def points_to_spectrum(h: Tensor, waves: Tensor, mask: Tensor | None = None) -> Tensor:
    """Sums h exp(-2πi k·x) over the points of features (B, N, D): (B, D, M), not scaled."""
    h = _wide(h)
    if mask is not None:
        h = torch.where(mask.unsqueeze(-1), h, 0)
    return torch.einsum("bnd,bnm->bdm", h.to(waves.dtype), waves.conj())


def spectrum_to_points(spectrum: Tensor, waves: Tensor) -> Tensor:
    """Features (B, N, D) at the points, from a spectrum (B, D, 2m, .., m)."""
    # the frequencies left out are mirror images and give the same real part once more
    twice = torch.arange(spectrum.shape[-1], device=spectrum.device).clamp(max=1) + 1
    return torch.einsum("bdm,bnm->bnd", (spectrum * twice).flatten(2), waves).real


def _wide(h: Tensor) -> Tensor:
    return h.to(torch.promote_types(h.dtype, torch.float32))


class FourierLayer(nn.Module):
    """K h + W h: a spectral convolution and a pointwise linear map."""

    def __init__(self, dim: int, *, modes: int | tuple[int, ...], space_dim: int) -> None:
        super().__init__()
        self.spectral = SpectralConv(dim, dim, modes=modes, space_dim=space_dim)
        self.pointwise = CONV[space_dim](dim, dim, 1)

    def forward(self, h: Tensor) -> Tensor:
        return self.spectral(h) + self.pointwise(h)


class FourierStack(nn.Module):
    """L Fourier layers with σ between them."""

    def __init__(
        self, dim: int, *, modes: int | tuple[int, ...], space_dim: int, num_layers: int
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            FourierLayer(dim, modes=modes, space_dim=space_dim) for _ in range(num_layers)
        )

    def forward(self, h: Tensor) -> Tensor:  # (B, D, *grid), both ways
        for layer in self.layers[:-1]:
            h = F.gelu(layer(h))
        last: Tensor = self.layers[-1](h)
        return last


def pad(h: Tensor, fraction: float) -> Tensor:
    """Zeros behind the end of every axis: Fourier modes join the ends, the fields do not."""
    amounts = [(0, math.ceil(fraction * n)) for n in reversed(h.shape[2:])]
    return F.pad(h, [amount for pair in amounts for amount in pair])


def extend(h: Tensor, points: int) -> Tensor:
    """As `pad`, by so many points on every axis, whatever its length."""
    return F.pad(h, (0, points) * (h.ndim - 2))


def crop(h: Tensor, grid: tuple[int, ...]) -> Tensor:
    """Undo `pad` or `extend`."""
    return h[(slice(None), slice(None), *map(slice, grid))]


def check_settings(*, padding: float = 0, **counts: int) -> None:
    for name, count in counts.items():
        if count < 1:
            raise ConfigError(f"{name}={count} must be at least 1")
    if not 0 <= padding <= 1:
        raise ConfigError(f"padding={padding:g} must lie between 0 and 1")
