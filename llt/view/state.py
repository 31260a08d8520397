"""One state of a file, ready to be drawn: points, surface, and arrays as parts of fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.formats import Drawing
from llt.view.parts import Parts, parts_of, vectors_of
from llt.view.shape import Shape, outline, shape_of

FLAT = 1e-6  # of the largest edge: what is not thicker is in a plane


@dataclass(frozen=True)
class State:
    points: NDArray[Any]  # (N, 2 or 3)
    shape: Shape
    parts: Parts
    vectors: dict[str, list[str]]
    units: dict[str, str]

    @classmethod
    def of(cls, drawn: Drawing) -> State:
        mesh = drawn.mesh
        points = mesh.points
        if points.shape[1] == 3 and np.ptp(points[:, 2]) <= FLAT * np.ptp(points, axis=0).max():
            points = points[:, :2]
        if drawn.triangles is None:
            # a grid of one row is a line
            shape = shape_of(points, mesh.grid if mesh.grid and min(mesh.grid) > 1 else None, {})
        else:
            triangles = drawn.triangles.astype(np.uint32)
            shape = Shape(triangles, outline(points, triangles))
        arrays = {**mesh.point_fields, **drawn.at_points}
        parts = parts_of(arrays)
        # what was predicted comes first
        parts = dict(sorted(parts.items(), key=lambda item: "prediction" not in item[1]))
        return cls(points, shape, parts, vectors_of(arrays), dict(mesh.units))

    @property
    def num_bytes(self) -> int:
        fields = [z for parts in self.parts.values() for z in parts.values()]
        arrays = [self.points, *self.shape.arrays().values(), *fields]
        return sum(array.nbytes for array in arrays)
