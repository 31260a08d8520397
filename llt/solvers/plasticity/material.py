"""The metal: elastic up to the yield stress, then perfectly plastic (J2), in plane stress.

    σ̇ = C : (d - dᵖ) + W σ - σ W  (Jaumann),    dᵖ = λ̇ P σ,    σ · P σ <= 2/3 σ_Y²

Stress goes back to the yield surface along an implicit step (Simo and Taylor, 1986), for which
one number λ has to be found. The sheet gets thinner or thicker as the plastic volume is kept.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from llt.solvers.base import Array
from llt.solvers.kernel import inlined, kernel

NEWTON_STEPS = 3  # leave 4e-12 of the limit at most, whatever the stress before
TINY = 1e-300  # keeps 0 / 0 away where there is no stress


class Material(NamedTuple):
    """In Pa and kg/m³."""

    young: float = 200e9
    poisson: float = 0.3
    yield_stress: float = 70e6
    density: float = 7850.0


class Stress(NamedTuple):
    """What an element remembers, each (ny, nx)."""

    xx: Array
    yy: Array
    xy: Array
    thickness: Array  # 1 at the beginning
    plastic: Array  # equivalent plastic strain


class Strain(NamedTuple):
    """What happens to an element in a step, each (ny, nx)."""

    xx: Array
    yy: Array
    xy: Array  # half the change of the angle
    spin: Array  # half of ∂u/∂y - ∂v/∂x


def wave_speed(material: Material) -> float:
    """Of the fastest wave in a thin sheet."""
    return sqrt(material.young / (1 - material.poisson**2) / material.density)


@inlined
def plastic_step(
    mean: float, shear: float, alpha: float, beta: float, limit: float
) -> tuple[float, float, float]:
    """λ with mean / (1 + αλ)² + shear / (1 + βλ)² = limit, or 0 where the sum is below.

    Newton's method for the sum to the power -1/2, which is almost a straight line.

    Returns:
        λ, 1 / (1 + αλ) and 1 / (1 + βλ).
    """
    step, u, v = 0.0, 1.0, 1.0
    for _ in range(NEWTON_STEPS):
        m, s = mean * u * u, shear * v * v
        slope = alpha * m * u + beta * s * v + TINY
        step += (sqrt((m + s) / limit) - 1) * (m + s) / slope
        step = step if step > 0 else 0.0
        u, v = 1 + beta * step, 1 + alpha * step
        both = 1 / (u * v)
        u, v = both * u, both * v
    return step, u, v


@kernel
def update_stress(old: Stress, strain: Strain, material: Material) -> tuple[Stress, Array]:
    """The stress after a step, and the change of volume per volume."""
    young, nu, strength, _ = material
    stiffness, beta = young / (1 - nu * nu), young / (1 + nu)
    alpha, limit = young / (3 * (1 - nu)), 2 / 3 * strength * strength
    shape = old.xx.shape
    xx, yy, xy = np.empty(shape), np.empty(shape), np.empty(shape)
    thickness, plastic, volume = np.empty(shape), np.empty(shape), np.empty(shape)
    for j in range(shape[0]):
        for i in range(shape[1]):
            sx, sy, sxy = old.xx[j, i], old.yy[j, i], old.xy[j, i]
            ex, ey, w = strain.xx[j, i], strain.yy[j, i], strain.spin[j, i]
            total = sx + sy
            trial = total + stiffness * (1 + nu) * (ex + ey)
            difference = sy - sx + stiffness * (1 - nu) * (ey - ex) - 4 * w * sxy
            txy = sxy + beta * strain.xy[j, i] + w * (sy - sx)

            mean, shear = trial * trial / 6, 0.5 * difference * difference + 2 * txy * txy
            step, u, v = plastic_step(mean, shear, alpha, beta, limit)
            new, difference = trial * u, difference * v
            xx[j, i], yy[j, i] = 0.5 * (new - difference), 0.5 * (new + difference)
            xy[j, i] = txy * v
            # elastic contraction, and what keeps the plastic part of the volume
            ez = -nu / young * (new - total) - step / 3 * new
            thickness[j, i] = old.thickness[j, i] * (1 + ez * (1 + 0.5 * ez))
            plastic[j, i] = old.plastic[j, i] + 2 / 3 * strength * step
            volume[j, i] = ex + ey + ez
    return Stress(xx, yy, xy, thickness, plastic), volume


def at_rest(shape: tuple[int, int]) -> Stress:
    zero = np.zeros(shape)
    return Stress(zero, zero, zero, np.ones(shape), zero)
