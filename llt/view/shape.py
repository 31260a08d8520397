"""How the points of a case are drawn: as the triangles of a surface, or one by one.

Triangles have numbers of points as corners, also where only some of the points are on a surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.evaluation.body import body_triangles
from llt.evaluation.panels import surface

Floats = NDArray[np.floating[Any]]
Indices = NDArray[np.uint32]


@dataclass(frozen=True)
class Shape:
    triangles: Indices | None = None  # (T, 3); None: the points are drawn
    lines: Indices | None = None  # (L, 2), where the surface ends
    body: str | None = None  # the mask of the points that are on a body's surface

    def arrays(self) -> dict[str, NDArray[Any]]:
        found = {"triangles": self.triangles, "lines": self.lines}
        return {name: array for name, array in found.items() if array is not None}


def shape_of(
    points: Floats, grid: tuple[int, ...] | None, masks: dict[str, NDArray[np.bool_]]
) -> Shape:
    """Of points (N, d)."""
    if grid is not None:
        lines = block_outline(points, grid) if points.shape[1] == 2 else None
        return Shape(block_triangles(grid), lines)
    if points.shape[1] == 2:
        mesh = surface(points)
        if mesh is None:
            return Shape()
        triangles = mesh.get_masked_triangles().astype(np.uint32)
        return Shape(triangles, outline(points, triangles))
    for name, mask in masks.items():
        rows = np.flatnonzero(mask)
        found = body_triangles(points[rows])
        if found is not None:
            return Shape(rows[found].astype(np.uint32), body=name)
    found = None if masks else body_triangles(points)
    return Shape(None if found is None else found.astype(np.uint32))


@lru_cache(maxsize=16)
def block_triangles(grid: tuple[int, ...]) -> Indices:
    """Two for every cell of a grid in the plane, or of the six sides of a block."""
    numbers = np.arange(np.prod(grid), dtype=np.uint32).reshape(grid)
    if len(grid) == 2:
        return _halves(numbers)
    sides = [np.take(numbers, [end], axis).squeeze(axis) for axis in range(3) for end in (0, -1)]
    return np.concatenate([_halves(side) for side in sides])


def block_outline(points: Floats, grid: tuple[int, ...]) -> Indices | None:
    """Where a grid in the plane ends, but for seams: sides of it that lie on each other."""
    return None if len(grid) != 2 else _without_seams(points, _block_ends(grid))


def outline(points: Floats, triangles: Indices) -> Indices | None:
    """The same of any triangles in the plane."""
    return None if points.shape[1] != 2 else _without_seams(points, _ends(triangles))


@lru_cache(maxsize=16)
def _block_ends(grid: tuple[int, ...]) -> Indices:
    return _ends(block_triangles(grid))


def _ends(triangles: Indices) -> Indices:
    """Edges (L, 2) that one triangle has alone."""
    edges = np.concatenate([triangles[:, [i, j]] for i, j in ((0, 1), (1, 2), (2, 0))])
    edges.sort(axis=1)
    keys = edges[:, 0].astype(np.uint64) << np.uint64(32) | edges[:, 1]
    _, first, count = np.unique(keys, return_index=True, return_counts=True)
    return edges[first[count == 1]]


def _without_seams(points: Floats, edges: Indices) -> Indices:
    places = points[edges].astype(np.float32)  # (L, 2, d)
    order = np.lexsort(np.moveaxis(places, -1, 0)[::-1], axis=-1)
    places = np.take_along_axis(places, order[..., None], axis=1)
    _, which, count = np.unique(
        places.reshape(len(edges), -1), axis=0, return_inverse=True, return_counts=True
    )
    return edges[count[which.reshape(-1)] == 1]


def _halves(numbers: Indices) -> Indices:
    a, b, c, d = numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]
    pairs = np.stack([a, b, c, a, c, d], axis=-1)
    return pairs.reshape(-1, 3)
