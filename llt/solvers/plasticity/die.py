"""The rigid die: a random profile that moves down, and its contact with the top of the block.

The profile is a natural cubic spline through eight equidistant knots, straight beyond its ends.
It is frictionless: a node that has come through is pushed back along the normal, by a spring
and a damper.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from llt.solvers.base import Array
from llt.solvers.kernel import inlined, kernel

KNOTS = 8


class Die(NamedTuple):
    """Cubics on equal intervals, the first and the last without end; in m."""

    left: float  # where the first begins
    interval: float
    cubics: Array  # (4, intervals), highest power first
    speed: float  # downward


class Contact(NamedTuple):
    stiffness: float  # in N/m per m of thickness
    damping: float  # in N s/m per m of thickness


def spline_die(knots: Array, *, left: float, width: float, touch: float, speed: float) -> Die:
    """Through knots from the left to the right, moved up or down until it touches a height."""
    spline = CubicSpline(np.linspace(0, width, len(knots)), knots, bc_type="natural")
    turns = spline.derivative().roots(extrapolate=False)
    lowest = min(spline(turns[np.isfinite(turns)]).min(initial=np.inf), knots.min())
    cubics = spline.c.copy()
    cubics[3] += touch - lowest
    return Die(left, width / (len(knots) - 1), cubics, speed)


@inlined
def height(die: Die, x: float) -> tuple[float, float]:
    """Height and slope of the profile at the beginning."""
    last = die.cubics.shape[1] - 1
    k = min(max(int((x - die.left) / die.interval), 0), last)
    s = x - die.left - k * die.interval
    a, b, c, d = die.cubics[0, k], die.cubics[1, k], die.cubics[2, k], die.cubics[3, k]
    # straight beyond the ends
    inside = min(max(s, 0.0), die.interval)
    slope = c + inside * (2 * b + 3 * a * inside)
    return d + inside * (c + inside * (b + inside * a)) + (s - inside) * slope, slope


@kernel
def profile(die: Die, x: Array) -> Array:
    """Heights at places x (n,)."""
    heights = np.empty(len(x))
    for i in range(len(x)):
        heights[i], _ = height(die, x[i])
    return heights


@kernel
def push(
    die: Die, time: float, x: Array, y: Array, vx: Array, vy: Array, contact: Contact
) -> tuple[Array, Array, float]:
    """Forces on the top nodes (n,), and how deep the deepest has come through the die."""
    n = len(x)
    fx, fy, deepest = np.zeros(n), np.zeros(n), 0.0
    for i in range(n):
        above, slope = height(die, x[i])
        r = 1 / sqrt(1 + slope * slope)
        depth = r * (y[i] - above + die.speed * time)
        if depth > 0:
            rate = r * (vy[i] + die.speed - slope * vx[i])
            force = max(0.0, contact.stiffness * depth + contact.damping * rate)
            fx[i], fy[i] = force * slope * r, -force * r
            deepest = max(deepest, depth)
    return fx, fy, deepest
