"""The block in motion: explicit central differences, with time steps that follow the mesh.

    v(n+1/2) = v(n-1/2) + a(n) (dt(n-1) + dt(n)) / 2,    x(n+1) = x(n) + v(n+1/2) dt(n)

Strains are taken halfway through a step, forces at its end. Squashed elements need short steps:
before every BLOCK steps the stable step is found anew, and shortened so that a whole number of
steps leads to the next frame. With the step of the undeformed mesh all would look right until
late, then be wrong.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np

from llt.solvers.base import Array
from llt.solvers.kernel import kernel
from llt.solvers.plasticity.die import Contact, Die, push
from llt.solvers.plasticity.element import (
    Damping,
    Resistance,
    forces,
    motion,
    no_resistance,
    resist,
    shortest,
)
from llt.solvers.plasticity.material import Material, Stress, at_rest, update_stress

BLOCK = 25  # steps of the same length


class Body(NamedTuple):
    """Nodes (ny + 1, nx + 1), the top row first, and what their elements carry."""

    x: Array
    y: Array
    vx: Array  # half a step earlier
    vy: Array
    fx: Array  # of the elements on the nodes
    fy: Array
    stress: Stress
    extra: Resistance


class Clock(NamedTuple):
    time: float
    before: float  # the last step
    steps: int
    work: float  # done by the die on the block
    deepest: float  # that a node has come through the die


class Setup(NamedTuple):
    """What does not change, per m of thickness."""

    mass: Array  # (ny + 1, nx + 1)
    material: Material
    damping: Damping
    contact: Contact
    pace: float  # time step per length of the shortest element


def still(x: Array, y: Array) -> Body:
    """Without stress, at rest."""
    elements = (x.shape[0] - 1, x.shape[1] - 1)
    zero = np.zeros(x.shape)
    return Body(x, y, zero, zero, zero, zero, at_rest(elements), no_resistance(elements))


def start() -> Clock:
    return Clock(0.0, 0.0, 0, 0.0, 0.0)


def lumped_mass(x: Array, y: Array, density: float) -> Array:
    """A quarter of every element's mass to each of its corners; for a grid of rectangles."""
    quarter = density / 4 * np.abs(np.diff(x[0])[None, :] * np.diff(y[:, 0])[:, None])
    mass = np.zeros(x.shape)
    for j, i in np.ndindex(2, 2):
        mass[j : j + len(quarter), i : i + quarter.shape[1]] += quarter
    return mass


@kernel
def step(
    body: Body, clock: Clock, dt: float, die: Die, setup: Setup
) -> tuple[Body, Clock]:
    """One step; the bottom slides freely along its support."""
    tx, ty, depth = push(
        die, clock.time, body.x[0], body.y[0], body.vx[0], body.vy[0], setup.contact
    )
    mean = 0.5 * (clock.before + dt)
    rows, columns = body.x.shape
    vx, vy = np.empty(body.x.shape), np.empty(body.x.shape)
    for j in range(rows):
        for i in range(columns):
            vx[j, i] = body.vx[j, i] + mean * body.fx[j, i] / setup.mass[j, i]
            vy[j, i] = body.vy[j, i] + mean * body.fy[j, i] / setup.mass[j, i]
    work = 0.0
    for i in range(columns):
        vx[0, i] += mean * tx[i] / setup.mass[0, i]
        vy[0, i] += mean * ty[i] / setup.mass[0, i]
        vy[-1, i] = 0.0
        work += tx[i] * (clock.before * body.vx[0, i] + dt * vx[0, i])
        work += ty[i] * (clock.before * body.vy[0, i] + dt * vy[0, i])

    dx, dy = dt * vx, dt * vy
    moved = motion(body.x + 0.5 * dx, body.y + 0.5 * dy, dx, dy)
    stress, growth = update_stress(body.stress, moved.strain, setup.material)
    extra = resist(body.extra, moved, growth, stress.thickness, dt, setup.damping)
    x, y = body.x + dx, body.y + dy
    fx, fy = forces(x, y, stress, extra)
    return Body(x, y, vx, vy, fx, fy, stress, extra), Clock(
        clock.time + dt,
        dt,
        clock.steps + 1,
        clock.work + 0.5 * work,
        max(clock.deepest, depth),
    )


@kernel
def advance(
    body: Body, clock: Clock, until: float, most: int, die: Die, setup: Setup
) -> tuple[Body, Clock]:
    """As many steps as lead to a time; ends before it where an element folds or `most` is reached."""
    while clock.time < until:
        length = shortest(body.x, body.y)
        if not length > 0 or clock.steps >= most:
            break
        remaining = until - clock.time
        n = ceil(remaining / (setup.pace * length))
        dt = remaining / n
        for _ in range(min(n, BLOCK)):
            body, clock = step(body, clock, dt, die, setup)
        if n <= BLOCK:
            clock = Clock(until, clock.before, clock.steps, clock.work, clock.deepest)
    return body, clock
