"""The random bend of a pipe: a curve of cubic Hermite pieces, and the grid that follows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from llt.solvers.base import Array


@dataclass(frozen=True, slots=True)
class Centerline:
    """Heights and slopes at equally spaced knots; a slope is the rise per piece, not per length."""

    heights: Array  # (K + 1,)
    slopes: Array  # (K + 1,)

    def __call__(self, x: Array) -> Array:
        """Height at x in [0, 1], the fraction of the pipe's length."""
        knots = np.linspace(0, 1, len(self.heights))
        return CubicHermiteSpline(knots, self.heights, self.slopes * (len(knots) - 1))(x)


def draw_centerline(
    rng: np.random.Generator, pieces: int, *, max_height: float, max_slope: float
) -> Centerline:
    """Uniform heights and slopes; the inlet stays at height 0."""
    heights = np.concatenate([[0.0], rng.uniform(-max_height, max_height, pieces)])
    return Centerline(heights, rng.uniform(-max_slope, max_slope, pieces + 1))


def pipe_grid(centerline: Centerline, elements: int, *, length: float, width: float) -> Array:
    """Points (2n+1, 2n+1, 2), first index along the pipe, second across from bottom to top."""
    fraction = np.linspace(0, 1, 2 * elements + 1)
    x = np.broadcast_to(length * fraction[:, None], (len(fraction), len(fraction)))
    # moved vertically, not along the normal: the vertical width is exactly `width` everywhere
    y = centerline(fraction)[:, None] + width * (fraction - 0.5)
    return np.stack([x, y], axis=-1)
