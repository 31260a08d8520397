"""Values of a grid's fields at any points inside its box: linear along each axis."""

from __future__ import annotations

from itertools import product

import torch
from torch import Tensor

from llt.solvers.car.grid import Grid


def sample(grid: Grid, component: int, field: Tensor, points: Tensor) -> Tensor:
    """A velocity component (0 to 2) or the pressure (3) of one car, at points (N, 3).

    Beyond the outermost places where the field is known it stays the same.
    """
    sides = [
        _between(field.new_tensor(along), points[:, axis])
        for axis, along in enumerate(grid.positions(component))
    ]
    total = torch.zeros_like(points[:, 0])
    for corner in product((0, 1), repeat=3):
        index = [side[0] + end for side, end in zip(sides, corner, strict=True)]
        weight = torch.ones_like(total)
        for (_, share), end in zip(sides, corner, strict=True):
            weight = weight * (share if end else 1 - share)
        total = total + weight * field[index[0], index[1], index[2]]
    return total


def _between(along: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Which interval a value lies in, and how far."""
    index = (torch.searchsorted(along, values.contiguous(), right=True) - 1).clamp(
        0, len(along) - 2
    )
    share = (values - along[index]) / (along[index + 1] - along[index])
    return index, share.clamp(0, 1)
