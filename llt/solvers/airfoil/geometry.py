"""The family of airfoils and the C-grid around them.

A NACA 0012 is bent by free-form deformation: eight control nodes on the box
[-0.25, 1.25] x [-0.1, 0.1] move up or down, and the displacement between them is cubic
(Lagrange) in x and linear in y. The grid wraps around the airfoil like a C:

    i = 0 ............ wake ........ upper trailing edge ... leading edge ... lower ... wake
    j = 0 airfoil and wake line, straight from the trailing edge to (40, 0)
    j = last outer boundary, a half circle of radius 40 about (1, 0) and the lines y = ±40

and is a linear blend of the two. The points of the wake line appear twice, at i and -1 - i.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

from llt.errors import ConfigError
from llt.solvers.base import Array

RADIUS = 40.0
BOX_X = np.array([-0.25, 0.25, 0.75, 1.25])
BOX_Y = np.array([-0.1, 0.1])
GROWTH = 1.02


def stations(panels: int) -> Array:
    """Chordwise positions from the leading edge to the trailing edge, panels + 1 of them.

    They are uniform but for a quarter spacing in place of the first.
    """
    h = 1 / (panels - 1)
    return np.concatenate([[0, h / 4], h * np.arange(1, panels)])


def airfoil(x: Array, displacements: Array) -> Array:
    """The outline, upper trailing edge -> leading edge -> lower trailing edge.

    Args:
        x: chordwise stations from 0 to 1.
        displacements: of the control nodes, (2, 4), lower row first, left to right.
    """
    y = _naca0012(x)
    upper, lower = np.stack([x, y], 1)[::-1], np.stack([x, -y], 1)[1:]
    outline = np.concatenate([upper, lower])
    outline[:, 1] += _deformation(outline, displacements)
    return outline  # (2 panels + 1, 2)


def c_grid(outline: Array, *, wake: int, layers: int, first: float) -> Array:
    """Nodes around a closed outline, `wake` cells behind it and `layers` cells outwards.

    Args:
        first: thickness of the first layer, in chords, where the outer boundary is RADIUS away.
    """
    trailing_edge = outline[0]
    panel = outline[0, 0] - outline[1, 0]
    s = _spacing(wake, panel / (RADIUS - trailing_edge[0]))[::-1, None]
    line = (1 - s) * trailing_edge + s * np.array([RADIUS, 0.0])
    inner = np.concatenate([line, outline[1:-1], line[::-1]])

    angle = np.linspace(np.pi / 2, 3 * np.pi / 2, len(outline))
    circle = np.stack([1 + RADIUS * np.cos(angle), RADIUS * np.sin(angle)], 1)
    x = np.linspace(RADIUS, 1, wake + 1)[:-1]
    top = np.stack([x, np.full(wake, RADIUS)], 1)
    outer = np.concatenate([top, circle, (top * [1, -1])[::-1]])

    weight = _spacing(layers, first / RADIUS)[:, None]
    grid: Array = inner[:, None] + weight * (outer - inner)[:, None]  # (I, J, 2)
    return grid


def _naca0012(x: Array) -> Array:
    """Half thickness, with the last coefficient that closes the trailing edge."""
    powers = -0.1260 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4
    # the coefficients sum to zero only up to rounding
    return np.where(x == 1, 0.0, 0.6 * (0.2969 * np.sqrt(x) + powers))


def _deformation(points: Array, displacements: Array) -> Array:
    x, y = points[:, 0], points[:, 1]
    upper = (y - BOX_Y[0]) / (BOX_Y[1] - BOX_Y[0])
    lower_shift, upper_shift = (_lagrange(x) @ row for row in displacements)
    shift: Array = (1 - upper) * lower_shift + upper * upper_shift
    return shift


def _lagrange(x: Array) -> Array:
    """The four cubic Lagrange polynomials of the control nodes, (N, 4)."""
    basis = np.ones((len(x), 4))
    for a in range(4):
        for b in range(4):
            if a != b:
                basis[:, a] *= (x - BOX_X[b]) / (BOX_X[a] - BOX_X[b])
    return basis


def _spacing(num: int, first: float) -> Array:
    """num + 1 points from 0 to 1: growth 1.02 over three quarters, then what reaches the end."""
    slow = 3 * num // 4
    steps = first * GROWTH ** np.arange(slow)
    last, rest = steps[-1], 1 - steps.sum()
    if rest <= 0:
        raise ConfigError(f"grid: {num} cells that start at {first:.2g} do not fit; use fewer")
    powers = np.arange(1, num - slow + 1)

    def excess(ratio: float) -> Any:
        return last * (ratio**powers).sum() - rest

    ratio = brentq(excess, 1e-3, 1e3, xtol=1e-14)
    steps = np.concatenate([steps, last * ratio**powers])
    return np.concatenate([[0], np.cumsum(steps) / steps.sum()])
