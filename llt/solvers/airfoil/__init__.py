"""Transonic flow around random airfoils: the Mach number at the nodes of a C-grid.

The steady Euler equations (γ = 1.4) at Mach 0.8 and no angle of attack, around a NACA 0012 bent
by seven random displacements; the geometry alone is the input. Cell-centered finite volumes of
second order, solved by Newton's method to a residual far below the error of the labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from llt.errors import ConfigError
from llt.solvers.airfoil.euler import CUT, OUTLET, WALL, free_stream, make_block
from llt.solvers.airfoil.geometry import airfoil, c_grid, stations
from llt.solvers.airfoil.newton import Steady, solve_steady
from llt.solvers.airfoil.nodes import node_fields
from llt.solvers.base import Array, Solution

VERSION = 3

FIELDS = ("density", "velocity_x", "velocity_y", "pressure", "mach")


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The published problem; the nodes are (2 (wake + panels) + 1, layers + 1)."""

    mach: float = 0.8
    displacement: float = 0.05  # the seven are uniform in ±displacement, in chords
    panels: int = 60  # on each side of the airfoil
    wake: int = 50
    layers: int = 50
    tolerance: float = 1e-8  # of the residual; the label is then within about 1e-6
    max_steps: int = 150
    cfl: float = 10.0  # of the first step

    def __post_init__(self) -> None:
        _check("mach", self.mach, 0.1, 0.95)
        # at 0.1 the upper and the lower control nodes can meet
        _check("displacement", self.displacement, 0, 0.09)
        for name in ("panels", "wake", "layers"):
            _check(name, getattr(self, name), 8, 200)
        _check("tolerance", self.tolerance, 1e-12, 1e-4)
        _check("max_steps", self.max_steps, 1, 10_000)
        _check("cfl", self.cfl, 0.1, 1e3)


class Flow(NamedTuple):
    points: Array  # (I, J, 2)
    fields: Array  # (5, I, J), as in FIELDS
    steady: Steady


def solve_sample(
    rng: np.random.Generator, settings: Settings, *, index: int | None = None
) -> Solution:
    displacements = np.zeros(8)
    # the lower left control node stays where it is
    displacements[1:] = rng.uniform(-settings.displacement, settings.displacement, 7)
    points, fields, steady = solve_flow(displacements.reshape(2, 4), settings)
    info = {"iterations": steady.steps, "gmres": steady.krylov, "residual": steady.residual}
    info |= {f"displacement_{i}": float(displacements[i]) for i in range(1, 8)}
    return Solution(points=points, inputs={}, outputs={"mach": fields[4]}, info=info)


def solve_flow(displacements: Array, settings: Settings) -> Flow:
    """All fields around one airfoil.

    Args:
        displacements: of the control nodes, (2, 4), lower row first, left to right, in chords.
    """
    if displacements.shape != (2, 4):
        raise ConfigError(f"displacements must be (2, 4), got shape {displacements.shape}")
    _check("largest displacement", float(np.abs(displacements).max()), 0, settings.displacement)
    wake, panels = settings.wake, settings.panels
    outline = airfoil(stations(panels), displacements)
    points = c_grid(outline, wake=wake, layers=settings.layers, first=1 / panels)
    bottom = wake * [CUT] + 2 * panels * [WALL] + wake * [CUT]
    far = free_stream(settings.mach)
    block = make_block(points, far, left=OUTLET, right=OUTLET, bottom=bottom)
    steady = solve_steady(
        block, tolerance=settings.tolerance, max_steps=settings.max_steps, cfl=settings.cfl
    )
    return Flow(points, node_fields(steady.w, points, far, wake=wake), steady)


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ConfigError(f"airfoil: {name}={value:g} must be between {low:g} and {high:g}")
