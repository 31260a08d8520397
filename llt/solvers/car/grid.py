"""The box of air: cells that are fine around a body and grow away from it, faces between them.

Axes are x (lateral), y (up) and z (streamwise), in this order in every tensor. All sides are walls
without friction, but air may enter at the first z and leave at the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llt.solvers.base import Array


@dataclass(frozen=True)
class Axis:
    """Cells along one axis, between increasing positions of their faces."""

    faces: Array  # (n + 1,)

    @property
    def num(self) -> int:
        return len(self.faces) - 1

    @cached_property
    def widths(self) -> Array:
        return np.diff(self.faces)

    @cached_property
    def centers(self) -> Array:
        return (self.faces[1:] + self.faces[:-1]) / 2

    @cached_property
    def spacings(self) -> Array:
        """From center to center at every face (n + 1,); beyond an end there is an equal cell."""
        around = np.concatenate([self.widths[:1], self.widths, self.widths[-1:]])
        return (around[1:] + around[:-1]) / 2


@dataclass(frozen=True)
class Grid:
    """A box of cells; `through` opens its two ends along z."""

    x: Axis
    y: Axis
    z: Axis
    through: bool = True

    @property
    def axes(self) -> tuple[Axis, Axis, Axis]:
        return self.x, self.y, self.z

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.x.num, self.y.num, self.z.num

    @property
    def finest(self) -> float:
        """The smallest width of a cell."""
        return float(min(axis.widths.min() for axis in self.axes))

    def positions(self, component: int) -> tuple[Array, Array, Array]:
        """Where along each axis a velocity component lives, or the pressure for component 3."""
        found = [
            axis.faces if along == component else axis.centers
            for along, axis in enumerate(self.axes)
        ]
        return found[0], found[1], found[2]


def uniform(num: int, low: float, high: float) -> Axis:
    return Axis(np.linspace(low, high, num + 1))


def graded(num: int, low: float, high: float, *, core: tuple[float, float], growth: float) -> Axis:
    """Cells of one width in the core, outside wider by `growth` per meter from it.

    The same map from index to place whatever their number, so that finer grids converge.
    """
    first, last = core
    before, after = _cells(first - low, growth), _cells(high - last, growth)
    width = (before + last - first + after) / num  # of a cell in the core
    at = width * np.arange(num + 1) - before  # cells from the core's begin, in core widths
    beyond = at - (last - first)
    faces = first + np.clip(at, 0, last - first)
    faces -= np.expm1(growth * np.maximum(-at, 0)) / growth
    faces += np.expm1(growth * np.maximum(beyond, 0)) / growth
    faces[[0, -1]] = low, high
    return Axis(faces)


def _cells(length: float, growth: float) -> float:
    """How many cells of a core's width 1 a stretch of so many meters takes: ∫ dx / (1 + gx)."""
    return float(np.log1p(growth * length) / growth)
