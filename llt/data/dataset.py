"""A dataset: solved samples of one problem, in memory, with their splits and provenance.

Shapes: S samples, N points, d space dimensions, Ca input and Cu output channels, T output times.
Samples that all have N points are stacked. Samples of different sizes are ragged: their points
stand one after the other, and sample i owns rows offsets[i] to offsets[i + 1].
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.splits import Splits
from llt.errors import DataError
from llt.problem import Problem

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sample:
    """One solved PDE instance."""

    points: Floats  # (N, d)
    inputs: Floats  # (N, Ca)
    outputs: Floats  # (N, Cu), or (T, N, Cu) on timed problems


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Checked on construction: shapes agree, every number is finite, splits are disjoint."""

    problem: Problem
    points: Floats  # (N, d) when all samples share them, (S, N, d), or ragged (P, d)
    inputs: Floats  # (S, N, Ca) or ragged (P, Ca)
    outputs: Floats  # (S, N, Cu), timed (S, T, N, Cu), or ragged (P, Cu)
    splits: Splits
    offsets: NDArray[np.int64] | None = None  # (S + 1,) on ragged data
    times: NDArray[np.float64] | None = None  # (T,) on timed problems
    provenance: dict[str, Any] = field(default_factory=dict)
    samples: dict[str, NDArray[Any]] = field(default_factory=dict)  # per-sample records, (S, ...)

    def __post_init__(self) -> None:
        _check_shapes(self)
        for name in ("points", "inputs", "outputs"):
            _check_finite(name, getattr(self, name), self.problem, ragged=self.ragged)
        self.splits.check(len(self))

    def __len__(self) -> int:
        return len(self.offsets) - 1 if self.offsets is not None else len(self.outputs)

    @property
    def ragged(self) -> bool:
        return self.offsets is not None

    @property
    def shared_points(self) -> bool:
        return not self.ragged and self.points.ndim == 2

    def sample(self, index: int) -> Sample:
        if self.offsets is not None:
            rows = slice(self.offsets[index], self.offsets[index + 1])
            return Sample(self.points[rows], self.inputs[rows], self.outputs[rows])
        points = self.points if self.shared_points else self.points[index]
        return Sample(points, self.inputs[index], self.outputs[index])

    def split(self, name: str) -> NDArray[np.int64]:
        """Indices of a split; an empty one is an error, since nothing can be done with it."""
        part = self.splits[name]
        if not part.size:
            raise DataError(f"{self.problem.name}: split {name!r} is empty")
        return part

    @property
    def hash(self) -> str:
        """Fingerprint of the numbers and the splits, independent of how the file is stored."""
        digest = hashlib.sha256(self.splits.hash.encode())
        for array in (self.points, self.inputs, self.outputs, self.offsets, self.times):
            if array is not None:
                digest.update(str(array.shape).encode())
                digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()[:16]


def _check_shapes(data: Dataset) -> None:
    problem, rows = data.problem, data.outputs.shape[:-1]
    where = problem.name
    if problem.timed != (data.times is not None):
        raise DataError(f"{where}: output times are needed exactly on timed problems")
    if data.times is not None:
        if data.outputs.ndim != 4 or data.outputs.shape[1] != len(data.times):
            raise DataError(f"{where}: outputs {data.outputs.shape} for {len(data.times)} times")
        rows = (rows[0], rows[2])
    if data.offsets is not None and (
        data.outputs.ndim != 2 or data.offsets[-1] != len(data.outputs)
    ):
        raise DataError(f"{where}: offsets end at {data.offsets[-1]}, outputs {data.outputs.shape}")
    if data.inputs.shape[:-1] != rows:
        raise DataError(f"{where}: inputs {data.inputs.shape} do not fit outputs' samples {rows}")
    if data.points.shape[:-1] not in (rows, rows[-1:]):
        raise DataError(f"{where}: points {data.points.shape} do not fit outputs' samples {rows}")
    if problem.num_points is not None and rows[-1] != problem.num_points:
        raise DataError(f"{where}: {rows[-1]} points for the grid {problem.grid}")
    channels = (data.points.shape[-1], data.inputs.shape[-1], data.outputs.shape[-1])
    right = (problem.space_dim, problem.in_channels, problem.out_channels)
    if channels != right:
        raise DataError(f"{where}: channels of points, inputs, outputs are {channels}, not {right}")


def _check_finite(name: str, array: Floats, problem: Problem, *, ragged: bool) -> None:
    bad = ~np.isfinite(array)
    if not bad.any():
        return
    at = np.argwhere(bad)[0]
    fields = {"inputs": problem.input_names, "outputs": problem.output_names}.get(name, "xyz")
    what = "NaN" if np.isnan(array[tuple(at)]) else "infinity"
    place = f"row {at[0]}" if ragged or array.ndim == 2 else f"sample {at[0]}"
    raise DataError(
        f"{problem.name}: {name} {fields[at[-1]]!r} holds {what} in {place} "
        f"({int(bad.sum())} such values)"
    )
