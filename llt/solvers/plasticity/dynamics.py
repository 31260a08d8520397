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
def step(body: Body, clock: Clock, dt: float, die: Die, setup: Setup) -> tuple[Body, Clock]:
    """One step; the bottom slides freely along its support."""
    tx, ty, depth = push(
        die, clock.time, body.x[0], body.y[0], body.vx[0], body.vy[0], setup.contact
    )
    mean = 0.5 * (clock.before + dt)
    vx, vy = _after(body.vx, body.fx, setup.mass, mean), _after(body.vy, body.fy, setup.mass, mean)
    work = 0.0
    for i in range(len(tx)):
        vx[0, i] += mean * tx[i] / setup.mass[0, i]
        vy[0, i] += mean * ty[i] / setup.mass[0, i]
        vy[-1, i] = 0.0
        work += tx[i] * (clock.before * body.vx[0, i] + dt * vx[0, i])
        work += ty[i] * (clock.before * body.vy[0, i] + dt * vy[0, i])

    halfway_x, x = _moved(body.x, vx, dt)
    halfway_y, y = _moved(body.y, vy, dt)
    seen = motion(halfway_x, halfway_y, vx, vy, dt)
    stress, growth = update_stress(body.stress, seen.strain, setup.material)
    extra = resist(body.extra, seen, growth, stress.thickness, dt, setup.damping)
    fx, fy = forces(x, y, stress, extra)
    return Body(x, y, vx, vy, fx, fy, stress, extra), Clock(
        clock.time + dt,
        dt,
        clock.steps + 1,
        clock.work + 0.5 * work,
        max(clock.deepest, depth),
    )


@kernel
def _after(v: Array, force: Array, mass: Array, dt: float) -> Array:
    new = np.empty(v.shape)
    for j in range(v.shape[0]):
        for i in range(v.shape[1]):
            new[j, i] = v[j, i] + dt * force[j, i] / mass[j, i]
    return new


@kernel
def _moved(x: Array, v: Array, dt: float) -> tuple[Array, Array]:
    """Halfway through a step, and after it."""
    halfway, new = np.empty(x.shape), np.empty(x.shape)
    for j in range(x.shape[0]):
        for i in range(x.shape[1]):
            halfway[j, i], new[j, i] = x[j, i] + 0.5 * dt * v[j, i], x[j, i] + dt * v[j, i]
    return halfway, new


@kernel
def advance(
    body: Body, clock: Clock, until: float, most: int, die: Die, setup: Setup
) -> tuple[Body, Clock]:
    """As many steps as lead to a time; fewer where an element folds or `most` is reached."""
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
