"""Four-node elements with one integration point: strains, and the forces on their corners.

Corners run 1 = (j, i), 2 = (j, i + 1), 3 = (j + 1, i + 1), 4 = (j + 1, i), counterclockwise as i
runs to the left and j downward. The gradient in the middle needs only the diagonals
p = x3 - x1 and q = x4 - x2. It does not see the hourglass e = x1 - x2 + x3 - x4, in which the
middles of the diagonals part; a small stiffness and viscosity against it, orthogonal to all
linear fields, keeps it away (Flanagan and Belytschko, 1981). Bulk viscosity damps the ringing.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from llt.solvers.base import Array
from llt.solvers.kernel import inlined, kernel
from llt.solvers.plasticity.material import Strain, Stress


class Damping(NamedTuple):
    stiffness: float  # against the hourglass, in Pa
    impedance: float  # viscosity times density times wave speed, in Pa s/m


class Motion(NamedTuple):
    """Of each element in a step, seen from its middle, (ny, nx)."""

    strain: Strain
    hourglass_x: Array  # how far the hourglass went
    hourglass_y: Array
    area: Array
    length: Array  # area over the longest side
    slimness: Array  # squares of both diagonals over twice the area; 2 for a square


class Resistance(NamedTuple):
    """What acts in each element beside the stress, (ny, nx)."""

    elastic_x: Array  # force against the hourglass, without viscosity
    elastic_y: Array
    force_x: Array
    force_y: Array
    pressure: Array  # of bulk viscosity, positive in tension
    hourglass_work: Array  # so far
    viscous_work: Array


def no_resistance(shape: tuple[int, int]) -> Resistance:
    zero = np.zeros(shape)
    return Resistance(zero, zero, zero, zero, zero, zero, zero)


@inlined
def _corners(x: Array, j: int, i: int) -> tuple[float, float, float]:
    """Both diagonals and the hourglass of a coordinate or velocity."""
    x1, x2, x3, x4 = x[j, i], x[j, i + 1], x[j + 1, i + 1], x[j + 1, i]
    return x3 - x1, x4 - x2, x1 - x2 + x3 - x4


@inlined
def _extent(
    px: float, py: float, qx: float, qy: float, ex: float, ey: float
) -> tuple[float, float]:
    """Area, and area over the longest side."""
    area = 0.5 * (px * qy - qx * py)
    # twice the sides: sums and differences of the diagonals and the hourglass
    ax, ay, bx, by = px - qx, py - qy, px + qx, py + qy
    across = max((ax - ex) ** 2 + (ay - ey) ** 2, (ax + ex) ** 2 + (ay + ey) ** 2)
    along = max((bx - ex) ** 2 + (by - ey) ** 2, (bx + ex) ** 2 + (by + ey) ** 2)
    return area, 2 * area / sqrt(max(across, along))


@kernel
def shortest(x: Array, y: Array) -> float:
    """The smallest area over longest side; -1 where an element has folded, or is no number.

    Folded is an element whose map from a square turns over where its strains are taken, in the
    middle. At a sharp die a corner does so earlier, which is harmless.
    """
    smallest = np.inf
    for j in range(x.shape[0] - 1):
        for i in range(x.shape[1] - 1):
            px, qx, ex = _corners(x, j, i)
            py, qy, ey = _corners(y, j, i)
            area, length = _extent(px, py, qx, qy, ex, ey)
            if not area > 0:
                return -1.0
            smallest = min(smallest, length)
    return smallest


def overturned(x: Array, y: Array) -> NDArray[np.bool_]:
    """Which elements have turned over at a corner, (ny, nx)."""
    corners = np.stack([x, y], -1)
    corners = np.stack([corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1]])
    ahead, back = np.roll(corners, -1, 0) - corners, np.roll(corners, 1, 0) - corners
    turn = ahead[..., 0] * back[..., 1] - ahead[..., 1] * back[..., 0]
    return np.asarray((turn <= 0).any(axis=0))


@kernel
def motion(x: Array, y: Array, u: Array, v: Array, dt: float) -> Motion:
    """What velocities u, v do to the elements in a step, with x and y halfway."""
    shape = (x.shape[0] - 1, x.shape[1] - 1)
    xx, yy, xy, spin = np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape)
    hourglass_x, hourglass_y = np.empty(shape), np.empty(shape)
    area, length, slimness = np.empty(shape), np.empty(shape), np.empty(shape)
    for j in range(shape[0]):
        for i in range(shape[1]):
            px, qx, ex = _corners(x, j, i)
            py, qy, ey = _corners(y, j, i)
            pu, qu, eu = _corners(u, j, i)
            pv, qv, ev = _corners(v, j, i)
            a, length[j, i] = _extent(px, py, qx, qy, ex, ey)
            r = 0.5 * dt / a
            ux, uy = r * (qy * pu - py * qu), r * (px * qu - qx * pu)
            vx, vy = r * (qy * pv - py * qv), r * (px * qv - qx * pv)
            xx[j, i], yy[j, i] = ux, vy
            xy[j, i], spin[j, i] = 0.5 * (uy + vx), 0.5 * (uy - vx)
            hourglass_x[j, i] = 0.25 * (dt * eu - ex * ux - ey * uy)
            hourglass_y[j, i] = 0.25 * (dt * ev - ex * vx - ey * vy)
            area[j, i] = a
            slimness[j, i] = 0.5 / a * (px * px + py * py + qx * qx + qy * qy)
    return Motion(Strain(xx, yy, xy, spin), hourglass_x, hourglass_y, area, length, slimness)


@kernel
def resist(
    old: Resistance, moved: Motion, growth: Array, thickness: Array, dt: float, damping: Damping
) -> Resistance:
    """Viscosity and the forces against the hourglass after a step.

    Args:
        growth: of the volume, per volume, with the thickness: plastic flow is not damped.
    """
    shape, strain = growth.shape, moved.strain
    elastic_x, elastic_y = np.empty(shape), np.empty(shape)
    force_x, force_y, pressure = np.empty(shape), np.empty(shape), np.empty(shape)
    hourglass_work, viscous_work = np.empty(shape), np.empty(shape)
    for j in range(shape[0]):
        for i in range(shape[1]):
            gx, gy, w = moved.hourglass_x[j, i], moved.hourglass_y[j, i], strain.spin[j, i]
            viscosity = damping.impedance * moved.length[j, i] / dt
            stiffness = damping.stiffness * moved.slimness[j, i]
            x, y = old.elastic_x[j, i], old.elastic_y[j, i]
            x, y = x + w * y + stiffness * gx, y - w * x + stiffness * gy
            elastic_x[j, i], elastic_y[j, i] = x, y
            fx, fy = x + viscosity * gx, y + viscosity * gy
            p = viscosity * growth[j, i]
            h = 0.5 * thickness[j, i]
            work = (old.force_x[j, i] + fx) * gx + (old.force_y[j, i] + fy) * gy
            hourglass_work[j, i] = old.hourglass_work[j, i] + h * work
            work = (old.pressure[j, i] + p) * (strain.xx[j, i] + strain.yy[j, i])
            viscous_work[j, i] = old.viscous_work[j, i] + h * moved.area[j, i] * work
            force_x[j, i], force_y[j, i], pressure[j, i] = fx, fy, p
    return Resistance(
        elastic_x, elastic_y, force_x, force_y, pressure, hourglass_work, viscous_work
    )


@kernel
def forces(x: Array, y: Array, stress: Stress, extra: Resistance) -> tuple[Array, Array]:
    """Of the elements on the nodes, (ny + 1, nx + 1), per thickness at the beginning."""
    fx, fy = np.zeros(x.shape), np.zeros(x.shape)
    n = x.shape[1] - 1
    # T b of the corners 1 and 2; 3 and 4 have the opposite
    first_x, first_y, second_x, second_y = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    twist_x, twist_y = np.empty(n), np.empty(n)
    for j in range(x.shape[0] - 1):
        for i in range(n):
            px, qx, ex = _corners(x, j, i)
            py, qy, ey = _corners(y, j, i)
            h = 0.5 * stress.thickness[j, i]
            gx, gy, p = extra.force_x[j, i], extra.force_y[j, i], extra.pressure[j, i]
            r = 0.5 / (px * qy - qx * py)
            sxy = stress.xy[j, i]
            txx, txy = stress.xx[j, i] + p - r * gx * ex, sxy - r * gx * ey
            tyx, tyy = sxy - r * gy * ex, stress.yy[j, i] + p - r * gy * ey
            first_x[i], first_y[i] = h * (txy * qx - txx * qy), h * (tyy * qx - tyx * qy)
            second_x[i], second_y[i] = h * (txx * py - txy * px), h * (tyx * py - tyy * px)
            twist_x[i], twist_y[i] = 0.5 * h * gx, 0.5 * h * gy
        _add(first_x, second_x, twist_x, fx[j], fx[j + 1])
        _add(first_y, second_y, twist_y, fy[j], fy[j + 1])
    return fx, fy


@inlined
def _add(first: Array, second: Array, twist: Array, upper: Array, lower: Array) -> None:
    """One row of elements to the nodes above and below it."""
    n = len(first)
    for i in range(n):
        upper[i] -= first[i] + twist[i]
        lower[i] += second[i] + twist[i]
    for i in range(n):
        upper[i + 1] -= second[i] - twist[i]
        lower[i + 1] += first[i] - twist[i]
