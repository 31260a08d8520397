"""Coarser grids of the same samples: every k-th point along each axis, both ends kept.

A stride k fits an axis of n points where it divides n - 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from llt.data.stored import Stored
from llt.errors import DataError

if TYPE_CHECKING:
    from llt.data.dataset import Dataset

LEAST = 5  # points along an axis of a coarser grid
Grid = tuple[int, ...]
Stride = tuple[int, ...]  # one for every axis


def fitting_strides(n: int) -> list[int]:
    """The strides that an axis of n points can be thinned by."""
    return [k for k in range(1, n) if (n - 1) % k == 0 and (k == 1 or (n - 1) // k >= LEAST - 1)]


def thinned_grid(grid: Grid, stride: Stride) -> Grid:
    return tuple((n - 1) // k + 1 for n, k in zip(grid, stride, strict=True))


def stride_between(fine: Grid, coarse: Grid) -> Stride | None:
    """The stride that makes one grid of the other; None where there is none."""
    if len(fine) != len(coarse) or min(coarse, default=0) < 2:
        return None
    stride = tuple((n - 1) // (m - 1) for n, m in zip(fine, coarse, strict=True))
    ends = tuple(k * (m - 1) + 1 for k, m in zip(stride, coarse, strict=True))
    return stride if ends == fine and min(stride) > 0 else None


@lru_cache(maxsize=16)
def thinned_rows(grid: Grid, stride: Stride) -> NDArray[np.int64]:
    """Which of the points of a grid, one after the other, are kept."""
    index = np.arange(np.prod(grid)).reshape(grid)
    return index[tuple(slice(None, None, k) for k in stride)].reshape(-1)


def thin(data: Dataset, stride: Stride) -> Dataset:
    """The dataset on every k-th point; it has the finer one behind it, and that one's hash."""
    if max(stride) == 1:
        return data
    grid = data.problem.grid
    if grid is None:
        raise DataError(f"{data.problem.name}: a point set has no coarser grid")
    coarse = thinned_grid(grid, stride)
    if stride_between(grid, coarse) != stride:
        raise DataError(f"{data.problem.name}: stride {stride} does not fit the grid {grid}")
    rows = thinned_rows(grid, stride)

    def kept(array: Any, axis: int) -> Any:
        if isinstance(array, Stored):
            return array.thinned(stride)
        return array.take(rows, axis=axis)

    masks: Mapping[str, Any] = {name: kept(mask, -1) for name, mask in data.masks.items()}
    return replace(
        data,
        problem=replace(data.problem, grid=coarse),
        points=kept(data.points, -2),
        inputs=kept(data.inputs, -2),
        outputs=kept(data.outputs, -2),
        masks=masks,
        weights={},  # sums over all points
        finer=data,
    )
