"""One sample: a random die, the block under it, and the frames that are stored.

The block lies as in the published data: x = 0.35 - 0.5 i, so that i runs from right to left, and
y = 14.9 - 0.5 j, so that j runs downward; mm throughout. Solved in SI units, nodes as (j, i).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from llt.errors import ConfigError, SolverError
from llt.solvers.base import Array, Solution
from llt.solvers.plasticity.die import KNOTS, Contact, Die, profile, spline_die
from llt.solvers.plasticity.dynamics import (
    Body,
    Clock,
    Setup,
    advance,
    lumped_mass,
    start,
    still,
)
from llt.solvers.plasticity.element import Damping, overturned
from llt.solvers.plasticity.energy import Energies, energies
from llt.solvers.plasticity.material import Material, wave_speed

VERSION = 1

MM = 1e-3
WIDTH, HEIGHT = 50.0, 15.0  # of the block, in mm
RIGHT, TOP = 0.35, 14.9  # its corner
CONTACT_DAMPING = 0.3  # of the critical one
ENERGY_TOLERANCE = 0.01  # of the work; usual is 1e-4, and more than this was not stable


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The published problem; the nodes are (nx + 1, ny + 1)."""

    nx: int = 100  # elements along the block, which is 50 mm wide
    ny: int = 30  # and across, 15 mm
    frames: int = 20  # stored; the first is the undeformed block
    drop: float = 6.0  # mm; at frame k the die is k / frames of it lower
    die_height: float = 8.0  # mm; inner knots are uniform between 0 and this, both ends at it
    speed: float = 3.0  # of the die, m/s
    yield_stress: float = 70.0  # MPa
    step: float = 0.6  # in the time that a wave takes through the shortest element
    hourglass: float = 0.01  # stiffness against it, in shear moduli
    viscosity: float = 0.06  # bulk viscosity, linear
    penalty: float = 1.0  # contact stiffness, in Young's moduli
    max_steps: int = 500_000  # five times what is usual

    def __post_init__(self) -> None:
        _check("nx", self.nx, 2, 1000)
        _check("ny", self.ny, 2, 1000)
        _check("frames", self.frames, 2, 1000)
        _check("drop", self.drop, 1e-6, 10)
        _check("die_height", self.die_height, 0, 20)
        # slower takes too many steps, faster is a shock
        _check("speed", self.speed, 0.1, 100)
        _check("yield_stress", self.yield_stress, 1, 1e5)
        # unstable beyond
        _check("step", self.step, 0.01, 0.9)
        _check("hourglass", self.hourglass, 0, 1)
        _check("viscosity", self.viscosity, 0, 0.5)
        _check("penalty", self.penalty, 0.01, 5)
        _check("max_steps", self.max_steps, 1, 10**9)

    @property
    def interval(self) -> float:
        """Between frames, in s."""
        return self.drop * MM / (self.frames * self.speed)


class Forming(NamedTuple):
    """One die pressed into the block."""

    points: Array  # (nx + 1, ny + 1, 2), undeformed, mm
    die: Array  # (nx + 1,), its height above each column of nodes when it touches, mm
    positions: Array  # (frames, nx + 1, ny + 1, 2), mm
    body: Body  # at the last frame
    clock: Clock
    energies: Energies


def solve_sample(
    rng: np.random.Generator, settings: Settings, *, index: int | None = None
) -> Solution:
    knots = random_knots(rng, settings)
    return solution(solve_die(knots, settings), knots, settings)


def random_knots(rng: np.random.Generator, settings: Settings) -> Array:
    """Of the die, from the left to the right, in mm."""
    knots = np.full(KNOTS, settings.die_height)
    knots[1:-1] = rng.uniform(0, settings.die_height, KNOTS - 2)
    return knots


def solve_die(knots: Array, settings: Settings) -> Forming:
    """Press a die into the block.

    Args:
        knots: heights of its profile at equal distances, from the left end of the block to the
            right one, in mm; only their differences matter, since the die begins at the block.
    """
    x, y = undeformed(settings)
    die, setup = make_die(knots, settings), make_setup(settings)
    body, clock = still(x, y), start()
    positions = [np.stack([x, y], -1)]
    for frame in range(1, settings.frames):
        until = frame * settings.interval
        body, clock = advance(body, clock, until, settings.max_steps, die, setup)
        if clock.time < until:
            raise SolverError(failure(clock.time, clock.steps, settings))
        positions.append(np.stack([body.x, body.y], -1))
    return forming(np.stack(positions).swapaxes(1, 2), body, clock, die, setup)


def forming(positions: Array, body: Body, clock: Clock, die: Die, setup: Setup) -> Forming:
    """From positions in m; an error where energy was not kept."""
    frames = positions / MM
    spent = energies(body, setup)
    if not abs(sum(spent) - clock.work) <= ENERGY_TOLERANCE * abs(clock.work):
        raise SolverError(
            f"plasticity: the energy {sum(spent):.3g} J/m is not the work {clock.work:.3g} J/m "
            "of the die; a smaller step may help"
        )
    above = profile(die, MM * frames[0, :, 0, 0]) / MM
    return Forming(frames[0], above, frames, body, clock, spent)


def solution(forming: Forming, knots: Array, settings: Settings) -> Solution:
    displacement = forming.positions - forming.points
    fields = np.concatenate([forming.positions, displacement], axis=-1)
    work, spent = forming.clock.work, sum(forming.energies)
    element = MM * min(WIDTH / settings.nx, HEIGHT / settings.ny)
    return Solution(
        points=forming.points,
        # as the published array, repeated across the block, but in the order of the nodes: the
        # published one runs the other way, from left to right
        inputs={"die": np.repeat(forming.die[:, None], settings.ny + 1, axis=1)},
        outputs=dict(zip(("x", "y", "u_x", "u_y"), np.moveaxis(fields, -1, 0), strict=True)),
        times=np.linspace(0, 1, settings.frames),
        info={
            "steps": forming.clock.steps,
            "energy_error": abs(spent / work - 1) if work else 0.0,
            "hourglass": forming.energies.hourglass / work if work else 0.0,
            "penetration": forming.clock.deepest / element,
            "overturned": int(overturned(forming.body.x, forming.body.y).sum()),
            **{f"knot_{k}": float(knots[k]) for k in range(1, len(knots) - 1)},
        },
    )


def undeformed(settings: Settings) -> tuple[Array, Array]:
    """Coordinates of the nodes at the beginning, (ny + 1, nx + 1)."""
    x = RIGHT - WIDTH * np.arange(settings.nx + 1) / settings.nx
    y = TOP - HEIGHT * np.arange(settings.ny + 1) / settings.ny
    across, down = np.meshgrid(MM * x, MM * y)
    return across, down


def make_die(knots: Array, settings: Settings) -> Die:
    knots = np.asarray(knots, dtype=np.float64)
    if knots.ndim != 1 or len(knots) < 3 or not np.isfinite(knots).all():
        raise ConfigError(f"a die needs three or more finite knots, got shape {knots.shape}")
    return spline_die(
        MM * knots,
        left=MM * (RIGHT - WIDTH),
        width=MM * WIDTH,
        touch=MM * TOP,
        speed=settings.speed,
    )


def make_setup(settings: Settings) -> Setup:
    material = Material(yield_stress=settings.yield_stress * 1e6)
    mass, sound = lumped_mass(*undeformed(settings), material.density), wave_speed(material)
    shear_modulus = material.young / (2 * (1 + material.poisson))
    spring = settings.penalty * material.young
    damper = CONTACT_DAMPING * 2 * sqrt(spring * mass[0, 1])
    return Setup(
        mass=mass,
        material=material,
        damping=Damping(
            stiffness=settings.hourglass * shear_modulus,
            impedance=settings.viscosity * material.density * sound,
        ),
        contact=Contact(spring, damper),
        pace=settings.step / sound,
    )


def failure(time: float, steps: int, settings: Settings) -> str:
    """Why a sample did not reach its last frame."""
    why = "an element has folded"
    if steps >= settings.max_steps:
        why = f"max_steps={settings.max_steps} is not enough"
    return f"plasticity: {why} at {time * 1e3:.3g} ms, after {steps} steps"


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ConfigError(f"plasticity: {name}={value:g} must be between {low:g} and {high:g}")
