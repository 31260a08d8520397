"""Where the work of the die has gone; what is missing is the error of the time steps."""

from __future__ import annotations

from typing import NamedTuple

from llt.solvers.base import Array
from llt.solvers.plasticity.dynamics import Body, Setup


class Energies(NamedTuple):
    """In J per m of thickness."""

    kinetic: float
    elastic: float
    plastic: float
    hourglass: float
    viscous: float


def energies(body: Body, setup: Setup) -> Energies:
    material, stress = setup.material, body.stress
    volume = areas(body.x, body.y) * stress.thickness
    stretched = stress.xx**2 + stress.yy**2 - 2 * material.poisson * stress.xx * stress.yy
    sheared = 2 * (1 + material.poisson) * stress.xy**2
    return Energies(
        kinetic=float((setup.mass * (body.vx**2 + body.vy**2)).sum() / 2),
        elastic=float((volume * (stretched + sheared)).sum() / (2 * material.young)),
        plastic=float((volume * stress.plastic).sum() * material.yield_stress),
        hourglass=float(body.extra.hourglass_work.sum()),
        viscous=float(body.extra.viscous_work.sum()),
    )


def areas(x: Array, y: Array) -> Array:
    """Of the elements between nodes (ny + 1, nx + 1)."""
    px, py = x[1:, 1:] - x[:-1, :-1], y[1:, 1:] - y[:-1, :-1]
    qx, qy = x[1:, :-1] - x[:-1, 1:], y[1:, :-1] - y[:-1, 1:]
    found: Array = 0.5 * (px * qy - qx * py)
    return found
