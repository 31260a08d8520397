"""The state at the nodes, from those of the cells around them.

A node gets its pressure and Mach number from the cells, density and speed from the total
enthalpy, which is that of the free stream everywhere in a steady flow. The cells have it only up
to an error that is largest along the wall. There it is an error of temperature, and such an error
changes neither pressure nor Mach number: the substitution principle of Munk and Prim.
"""

from __future__ import annotations

import numpy as np

from llt.errors import SolverError
from llt.solvers.airfoil.euler import mach_number
from llt.solvers.airfoil.flux import GAMMA
from llt.solvers.base import Array


def node_fields(w: Array, points: Array, far: Array, *, wake: int) -> Array:
    """ρ, u, v, p and the Mach number at the nodes of a C-grid, (5, I, J).

    Args:
        w: states of the cells, ghosts included, (4, n).
        points: the nodes, (I, J, 2).
        far: the free stream, (4,).
        wake: number of cells along the wake line.
    """
    w = w.reshape(4, points.shape[0] + 3, points.shape[1] + 3)[:, 1:-1, 1:-1]
    q = (w[:, 1:, 1:] + w[:, :-1, 1:] + w[:, 1:, :-1] + w[:, :-1, :-1]) / 4
    # a point of the wake line or the trailing edge has two numbers, but one state
    upper, lower = q[:, : wake + 1, 0], q[:, ::-1][:, : wake + 1, 0]
    upper[:] = lower[:] = (upper + lower) / 2
    if not (q[[0, 3]] > 0).all():
        raise SolverError(f"density {q[0].min():.3g}, pressure {q[3].min():.3g}: not positive")

    pressure, mach = q[3], mach_number(q)
    velocity = q[1:3] / np.sqrt(GAMMA * q[3] / q[0])  # in units of the speed of sound
    wall = np.s_[wake + 1 : -wake - 1, 0]
    faces = w[:, wake + 1 : -wake - 1, :2]
    pressure[wall], velocity[:, *wall] = _wall_nodes(faces, points[wake:-wake, 0])
    mach[wall] = np.hypot(*velocity[:, *wall])

    temperature = far[3] / far[0] * _total_temperature(mach_number(far))
    temperature = temperature / _total_temperature(mach)
    density = pressure / temperature
    return np.stack([density, *np.sqrt(GAMMA * temperature) * velocity, pressure, mach])


def _wall_nodes(faces: Array, nodes: Array) -> tuple[Array, Array]:
    """Pressure and velocity, in units of the speed of sound, between the faces of a wall.

    The Mach number is that at which the cell's total pressure leaves the pressure at the wall. It
    has a sign along the wall, so that the means of two faces are right at the stagnation point.

    Args:
        faces: the states of the ghosts and of the cells at the faces, (4, F, 2).
        nodes: the ends of the faces, (F + 1, 2).
    """
    cell = faces[..., 1]
    # as in the flux through a wall
    pressure = faces[3].mean(axis=-1)
    if not (pressure > 0).all():
        raise SolverError(f"pressure {pressure.min():.3g} at the wall: not positive")
    total = cell[3] * _total_temperature(mach_number(cell)) ** (GAMMA / (GAMMA - 1))
    excess = (total / pressure) ** ((GAMMA - 1) / GAMMA) - 1
    tangent = _unit(np.diff(nodes, axis=0).T)
    along = (cell[1:3] * tangent).sum(axis=0)
    # the extrapolated pressure can be above the total pressure near the stagnation point
    mach = np.copysign(np.sqrt(2 / (GAMMA - 1) * np.maximum(excess, 0)), along)

    mach, total = _between(mach), _between(total)
    pressure = total / _total_temperature(mach) ** (GAMMA / (GAMMA - 1))
    return pressure, mach * _unit(_between(tangent))


def _total_temperature(mach: Array) -> Array:
    """Over the temperature."""
    return 1 + (GAMMA - 1) / 2 * mach**2


def _between(a: Array) -> Array:
    mean: Array = (a[..., 1:] + a[..., :-1]) / 2
    return mean


def _unit(a: Array) -> Array:
    unit: Array = a / np.hypot(*a)
    return unit
