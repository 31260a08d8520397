"""Where errors are: the mean absolute error at every point over a split, where points correspond.

The sums are taken while a split is evaluated, so that a report needs no predictions of all cases.
Of large meshes evenly spread points are kept. Shapes: N points, R of them kept, Cu outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from llt.data.dataset import Dataset
from llt.data.sample import Sample

MOST = 8192  # points that are kept
DIGITS = 4  # of every number


@dataclass(frozen=True, kw_only=True)
class ErrorMaps:
    """What an evaluation keeps of them: the mean over all cases and times."""

    shape: list[int]  # of the grid, or the number of points, before any are left out
    # |error| in the field's unit at the kept points; None where the field exists in no case
    fields: dict[str, list[float | None]]

    @property
    def rows(self) -> NDArray[np.int64]:
        return kept_rows(self.shape)

    @property
    def grid(self) -> tuple[int, ...]:
        """Of the kept points."""
        return tuple(map(len, _kept(self.shape)))

    def values(self, name: str) -> NDArray[np.float64]:
        """(R,), NaN where there is none."""
        return np.array(self.fields[name], np.float64)


class PointErrors:
    """Gathers |error| at corresponding points, batch by batch."""

    def __init__(self, data: Dataset, indices: NDArray[np.int64]) -> None:
        self.data, self.indices = data, indices
        self.times = 1 if data.times is None else len(data.times)
        self.shape = [*(data.problem.grid or (int(data.counts.max()),))]
        self.rows = kept_rows(self.shape)
        self._total = np.zeros((len(self.rows), data.problem.out_channels))
        self._count = np.zeros_like(self._total)

    def see(self, items: Tensor, u: Tensor) -> None:
        """Predictions (B, N, Cu) of these items, which are samples or samples at a time."""
        for item, values in zip(items.tolist(), u.cpu().numpy(), strict=True):
            place, moment = divmod(item, self.times)
            index = int(self.indices[place])
            sample = self.data.sample(index, None if self.data.times is None else moment)
            here = self._exists(sample)
            error = np.abs(values[self.rows].astype(np.float64) - sample.outputs[self.rows])
            self._total += np.where(here, error, 0)
            self._count += here

    def _exists(self, sample: Sample) -> NDArray[np.bool_]:
        everywhere = np.full(len(self.rows), True)
        columns = [
            sample.masks[field.mask][self.rows] if field.mask else everywhere
            for field in self.data.problem.outputs
        ]
        return np.stack(columns, axis=-1)

    def mean(self) -> ErrorMaps:
        mean = self._total / np.where(self._count, self._count, np.nan)
        names = self.data.problem.output_names
        fields = {name: _rounded(values) for name, values in zip(names, mean.T, strict=True)}
        return ErrorMaps(shape=self.shape, fields=fields)


def kept_rows(shape: Sequence[int]) -> NDArray[np.int64]:
    """Which of the points, one after the other, are kept: evenly spread, both ends of all axes."""
    index = np.arange(prod(shape)).reshape(shape)
    return index[np.ix_(*_kept(shape))].reshape(-1)


def _kept(shape: Sequence[int]) -> list[NDArray[np.int64]]:
    """Of every axis; a short one keeps two points at least, at the cost of the longer ones."""
    sides, most = dict[int, int](), MOST
    for left, axis in zip(range(len(shape), 0, -1), np.argsort(shape, kind="stable"), strict=True):
        n, rest = shape[axis], prod(n for i, n in enumerate(shape) if i not in sides)
        part = min(1.0, most / rest) ** (1 / left)
        sides[int(axis)] = n if part == 1 else min(n, max(2, int(n * part)))
        most //= sides[int(axis)]
    return [
        np.linspace(0, n - 1, sides[axis]).round().astype(np.int64) for axis, n in enumerate(shape)
    ]


def _rounded(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(z) else float(f"{z:.{DIGITS}g}") for z in values]
