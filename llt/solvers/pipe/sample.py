"""Random samples of the pipe problem: settings, boundary values, and what is stored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llt.errors import ConfigError
from llt.solvers.base import Array, Solution
from llt.solvers.pipe.centerline import Centerline, draw_centerline, pipe_grid
from llt.solvers.pipe.flow import solve_flow

VERSION = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    elements: int = 64  # per direction; the grid has 2 * elements + 1 points
    viscosity: float = 0.005
    peak_velocity: float = 0.25  # of the parabolic inlet profile
    length: float = 10.0
    width: float = 1.0
    pieces: int = 4  # of the centerline
    max_height: float = 1.0  # of the centerline's knots
    max_slope: float = 2.0  # there, as rise per piece
    tolerance: float = 1e-9
    max_iterations: int = 10  # of Newton's method, after the Stokes flow

    def __post_init__(self) -> None:
        for name, least in {"elements": 2, "pieces": 1, "max_iterations": 1}.items():
            if getattr(self, name) < least:
                raise ConfigError(f"{name}={getattr(self, name)} must be at least {least}")
        for name in ("viscosity", "peak_velocity", "length", "width"):
            if not 0 < getattr(self, name) < np.inf:
                raise ConfigError(f"{name}={getattr(self, name):g} must be positive and finite")
        for name in ("max_height", "max_slope"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ConfigError(f"{name}={getattr(self, name):g} must be finite and at least 0")
        if not 0 < self.tolerance < 1:
            raise ConfigError(f"tolerance={self.tolerance:g} must be between 0 and 1")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fields:
    """The whole flow on the grid; first index along the pipe, second across, bottom to top."""

    points: Array  # (2n+1, 2n+1, 2)
    velocity: Array  # (2n+1, 2n+1, 2)
    pressure: Array  # (2n+1, 2n+1)
    residuals: list[float]  # of the Stokes flow and after every Newton step


def solve_sample(
    rng: np.random.Generator, settings: Settings, *, index: int | None = None
) -> Solution:
    """A random pipe and its streamwise velocity u_x; the shape of the pipe is the only input."""
    centerline = draw_centerline(
        rng, settings.pieces, max_height=settings.max_height, max_slope=settings.max_slope
    )
    fields = solve_fields(centerline, settings)
    info = {
        "newton_iterations": len(fields.residuals) - 1,
        "residual": fields.residuals[-1],
        **{f"height_{k}": float(y) for k, y in enumerate(centerline.heights)},
        **{f"slope_{k}": float(s) for k, s in enumerate(centerline.slopes)},
    }
    outputs = {"velocity": np.ascontiguousarray(fields.velocity[..., 0])}
    return Solution(points=fields.points, inputs={}, outputs=outputs, info=info)


def solve_fields(centerline: Centerline, settings: Settings) -> Fields:
    """Velocity and pressure in the pipe along a given centerline."""
    points = pipe_grid(centerline, settings.elements, length=settings.length, width=settings.width)
    flow = solve_flow(
        points,
        _boundary_values(settings),
        viscosity=settings.viscosity,
        tolerance=settings.tolerance,
        max_iterations=settings.max_iterations,
    )
    return Fields(
        points=points,
        velocity=flow.fields[..., :2],
        pressure=flow.fields[..., 2],
        residuals=flow.residuals,
    )


def _boundary_values(settings: Settings) -> Array:
    """Parabolic inlet, no slip at the walls, free outlet; NaN where nothing is given."""
    num = 2 * settings.elements + 1
    across = np.linspace(0, 1, num)
    known = np.full((num, num, 3), np.nan)
    known[0, :, 0] = settings.peak_velocity * 4 * across * (1 - across)
    known[0, :, 1] = 0
    known[:, [0, -1], :2] = 0
    return known
