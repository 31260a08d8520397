"""What every reader gives: one state of one case, and what of it is where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.errors import DataError

Array = NDArray[Any]
SAME = 1e-6  # times that differ by less, of the largest, are one


@dataclass(frozen=True, kw_only=True, slots=True)
class Mesh:
    """One state of one case, as its file has it: N points and M cells, in the file's order."""

    points: Array  # (N, 3) or (N, 2) float64, finite
    point_fields: Mapping[str, Array] = field(default_factory=dict)  # (N,) or (N, C), real
    cell_fields: Mapping[str, Array] = field(default_factory=dict)  # (M,) or (M, C)
    centers: Array | None = None  # (M, d) of the cells, where the file has some
    grid: tuple[int, ...] | None = None  # points per axis where structured, the last axis fastest
    patches: Mapping[str, Array] = field(default_factory=dict)  # (N,) bool: boundaries, sets, ...
    cell_patches: Mapping[str, Array] = field(default_factory=dict)  # (M,) bool: the same of cells
    case_fields: Mapping[str, float] = field(default_factory=dict)  # numbers of the whole case
    units: Mapping[str, str] = field(default_factory=dict)  # of fields, where the file tells
    left_out: Mapping[str, str] = field(default_factory=dict)  # arrays that are no fields: why


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """What a sum over points, or over cells, weighs each with to be an integral."""

    sizes: Array  # (N,) of its share of the volumes, areas or lengths
    normals: Array  # (N, 3) on the boundary: areas times the directions out of the mesh
    body: bool = False  # the mesh is the surface of one, which normals point out of


def check_points(points: Array) -> Array:
    """Coordinates (N, 2 or 3) that computing can begin with."""
    if points.ndim != 2 or points.shape[1] not in (2, 3) or not len(points):
        raise DataError(f"points of shape {points.shape}, expected (N, 2) or (N, 3), N > 0")
    bad = ~np.isfinite(points).all(axis=1)
    if bad.any():
        raise DataError(f"points have NaN or infinity at {bad.sum()}, first {int(bad.argmax())}")
    return np.ascontiguousarray(points, np.float64)


def check_lengths(fields: Mapping[str, Array], num: int, what: str) -> None:
    """New arrays have a value for each."""
    for name, value in fields.items():
        if value.ndim not in (1, 2) or len(value) != num:
            raise DataError(f"{name} of shape {value.shape}, there are {num} {what}")


def is_time(times: Sequence[float], time: float) -> bool:
    """Whether a file has it."""
    away = np.abs(np.asarray(times, np.float64) - time)
    return bool(len(times)) and bool(away.min() <= SAME * np.abs(times).max())


def time_index(times: Sequence[float], time: float | None) -> int:
    """Which of a file's times is meant; the last one unless it is said."""
    if time is None:
        return len(times) - 1
    if not is_time(times, time):
        there = f"{len(times)} from {times[0]:g} to {times[-1]:g}" if len(times) else "none"
        raise DataError(f"no time {time:g}; times there: {there}")
    return int(np.abs(np.asarray(times, np.float64) - time).argmin())
