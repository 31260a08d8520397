"""How the points of a case are drawn: as the triangles of a surface, or one by one.

Triangles have numbers of points as corners, also where only some of the points are on a surface.
"""

from __future__ import annotations

from dataclasses import dataclass
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
        triangles = block_triangles(grid)
        return Shape(triangles, _outline(points, triangles))
    if points.shape[1] == 2:
        mesh = surface(points)
        if mesh is None:
            return Shape()
        triangles = mesh.get_masked_triangles().astype(np.uint32)
        return Shape(triangles, _outline(points, triangles))
    for name, mask in masks.items():
        rows = np.flatnonzero(mask)
        found = body_triangles(points[rows])
        if found is not None:
            return Shape(rows[found].astype(np.uint32), body=name)
    found = None if masks else body_triangles(points)
    return Shape(None if found is None else found.astype(np.uint32))


def block_triangles(grid: tuple[int, ...]) -> Indices:
    """Two for every cell of a grid in the plane, or of the six sides of a block."""
    numbers = np.arange(np.prod(grid), dtype=np.uint32).reshape(grid)
    if len(grid) == 2:
        return _halves(numbers)
    sides = [numbers.take(end, axis=axis) for axis in range(3) for end in (0, -1)]
    return np.concatenate([_halves(side) for side in sides])


def _halves(numbers: Indices) -> Indices:
    a, b, c, d = numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]
    pairs = np.stack([a, b, c, a, c, d], axis=-1)
    return pairs.reshape(-1, 3)


def _outline(points: Floats, triangles: Indices) -> Indices | None:
    """Edges in the plane that one triangle has alone; points that coincide are one."""
    if points.shape[1] != 2:
        return None
    _, first, same = np.unique(
        points.astype(np.float32), axis=0, return_index=True, return_inverse=True
    )
    corners = first[same.reshape(-1)][triangles]
    edges = np.concatenate([corners[:, [i, j]] for i, j in ((0, 1), (1, 2), (2, 0))])
    edges = edges[edges[:, 0] != edges[:, 1]]  # of triangles that are flat
    edges, count = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    return np.asarray(edges[count == 1], np.uint32)
