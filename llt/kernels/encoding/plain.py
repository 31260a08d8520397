"""The definition of the encodings of position. Coordinates are expected in the unit box.

Shapes: B batch, N points, d space dimensions, R reference points per axis.
"""

from __future__ import annotations

import torch
from torch import Tensor


def fourier_features(x: Tensor, bands: int) -> Tensor:
    """sin(2^b x) and cos(2^b x) of every coordinate for b = 0 .. bands - 1: (B, N, 2 d bands)."""
    frequencies = 2.0 ** torch.arange(bands, device=x.device, dtype=x.dtype)
    angles = (x.unsqueeze(-1) * frequencies).flatten(-2)
    return torch.cat((angles.sin(), angles.cos()), dim=-1)


def unit_grid(
    shape: tuple[int, ...],
    device: torch.device | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Nodes of a regular grid on the unit box, first axis slowest: (N, d)."""
    axes = [_axis(n, device, dtype) for n in shape]
    return torch.stack(torch.meshgrid(*axes, indexing="ij"), dim=-1).flatten(0, -2)


def _axis(n: int, device: torch.device | None, dtype: torch.dtype) -> Tensor:
    if not torch.compiler.is_exporting():
        return torch.linspace(0, 1, n, device=device, dtype=dtype)
    # the same for a number that is known only when an exported model is called
    place, last = torch.arange(n, device=device, dtype=dtype), n - 1
    return torch.where(2 * place < n, place / last, 1 - (last - place) / last)


def distance_encoding(x: Tensor, reference: Tensor) -> Tensor:
    """Distances of points (..., N, d) to the reference points (M, d): (..., N, M)."""
    # differences, not torch.cdist's matrix product: exact near zero and cheap for d <= 3
    return (x.unsqueeze(-2) - reference).square().sum(-1).clamp(min=1e-12).sqrt()
