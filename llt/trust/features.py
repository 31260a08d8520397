"""What tells cases of a problem apart, in a few numbers: of the geometry, every field, parameter.

Numbers are in the units of the unit box and of normalized fields. On grids it is the deviation
from the mean mesh that tells geometries apart, which other resolutions of it leave as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from torch import Tensor

from llt.data.normalizer import Normalizer
from llt.prediction.interpolation import on_grid
from llt.problem import Problem

Floats = NDArray[np.float64]
MOST_POINTS = 4096  # of a case that are looked at; the ends of a range are those of all points
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
WORDS = (
    "mean of {}",
    "spread of {}",
    "smallest {}",
    "largest {}",
    *(f"{round(100 * level)} % quantile of {{}}" for level in LEVELS),
)
GEOMETRY = "geometry"
TINY = 1e-6  # an edge of no length, as along the cut of a mesh around a body


@dataclass(frozen=True)
class Describer:
    """Describes cases of a problem."""

    problem: Problem
    normalizer: Normalizer
    mesh: Tensor | None = None  # (N, d) mean of structured training meshes

    def geometry(self, x: NDArray[Any], grid: tuple[int, ...] | None) -> Geometry:
        """Of the points x (N, d)."""
        encode = self.normalizer
        size = encode.x_size.cpu().numpy().astype(np.float64)
        if grid is not None and self.mesh is not None:
            mesh = on_grid(self.mesh, self.problem, grid).cpu().numpy()
            return Geometry((x - mesh) * (encode.gain / size), _stretch(x, mesh, size, grid))
        low = encode.x_low.cpu().numpy()
        return Geometry((x - low) / size)

    def numbers(self, geometry: Geometry, a: NDArray[Any]) -> dict[str, Floats]:
        """Of a case with inputs a (N, Ca), fields before parameters, by group."""
        mean, std = (z.cpu().numpy() for z in (self.normalizer.a_mean, self.normalizer.a_std))
        values, names = (a - mean) / std, self.problem.input_names
        found = {GEOMETRY: geometry.numbers}
        for channel, name in enumerate(names):
            found[f"field {name}"] = geometry.field_numbers(values[:, channel])
        for channel, name in enumerate(self.problem.parameter_names, start=len(names)):
            found[f"parameter {name}"] = values[:1, channel].astype(np.float64)
        return found

    def words(self) -> dict[str, list[str]]:
        """What the numbers of every group are called."""
        axes = "xyz"[: self.problem.space_dim]
        if self.problem.grid is not None and self.mesh is not None:
            of = [f"shift of the mesh in {axis}" for axis in axes]
            geometry = [word.format(name) for name in of for word in WORDS]
            lines = [f"length of edges along axis {axis + 1}" for axis in range(len(axes))]
            geometry += [word.format(name) for name in lines for word in WORDS]
        else:
            of = [*axes, "distance from the center"]
            geometry = [word.format(name) for name in of for word in WORDS]
            geometry += [f"{word} distance of neighbors" for word in ("small", "median", "large")]
        found = {GEOMETRY: geometry}
        for name in self.problem.input_names:
            found[f"field {name}"] = [
                *(word.format(name) for word in WORDS),
                f"roughness of {name}",
            ]
        return found | {f"parameter {name}": [name] for name in self.problem.parameter_names}


class Geometry:
    """Points of a case, with which of them are looked at and who is next to whom."""

    def __init__(self, z: NDArray[Any], edges: Sequence[Floats] = ()) -> None:
        self.z, self.edges = z.astype(np.float64), edges
        self.rows = _some(len(z))
        self._near: NDArray[np.int64] | None = None

    @property
    def numbers(self) -> Floats:
        if self.edges:
            return np.concatenate([_statistics(part) for part in (*self.z.T, *self.edges)])
        center = (self.z.min(axis=0) + self.z.max(axis=0)) / 2
        distance = np.linalg.norm(self.z - center, axis=1)
        parts = [_statistics(part) for part in (*self.z.T, distance)]
        some = self.z[self.rows]
        spacing = np.linalg.norm(some - some[self.near], axis=1)
        spread = np.log(np.quantile(spacing, (0.05, 0.5, 0.95)) + 1e-6)
        return np.concatenate([*parts, spread])

    def field_numbers(self, values: NDArray[Any]) -> Floats:
        """Of a field (N,) on the points."""
        some = values[self.rows]
        roughness = np.abs(some - some[self.near]).mean()
        return np.append(_statistics(values), roughness)

    @property
    def near(self) -> NDArray[np.int64]:
        """Of every point that is looked at, the next one among them."""
        if self._near is None:
            some = self._places[self.rows]
            _, index = cKDTree(some).query(some, k=min(2, len(some)))
            self._near = index.reshape(len(some), -1)[:, -1]
        return self._near

    @property
    def _places(self) -> Floats:
        """On grids the order of the points: shifts of a mesh are no places."""
        return np.arange(len(self.z), dtype=float)[:, None] if self.edges else self.z


def _stretch(
    x: NDArray[Any], mesh: NDArray[Any], size: Floats, grid: tuple[int, ...]
) -> list[Floats]:
    """Logarithms of how much longer the edges along every axis are than those of the mean mesh."""
    found = []
    for axis in range(len(grid)):
        ends = (np.diff((z / size).reshape(*grid, -1), axis=axis) for z in (x, mesh))
        own, mean = (np.linalg.norm(edge, axis=-1).ravel() + TINY for edge in ends)
        found.append(np.log(own / mean))
    return found


def _statistics(values: NDArray[Any]) -> Floats:
    some = values[_some(len(values))].astype(np.float64)
    ends = float(values.min()), float(values.max())
    return np.array([some.mean(), some.std(), *ends, *np.quantile(some, LEVELS)])


@lru_cache(maxsize=16)
def _some(count: int) -> NDArray[np.int64]:
    """Which of so many are looked at: the same in every case."""
    if count <= MOST_POINTS:
        return np.arange(count)
    return np.sort(np.random.default_rng(count).permutation(count)[:MOST_POINTS])
