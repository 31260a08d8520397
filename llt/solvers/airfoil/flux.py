"""Fluxes of the Euler equations through cell faces: MUSCL with van Albada, Roe's solver.

States are primitive, w = (ρ, u, v, p), stored as (4, n) over the cells of a padded grid that is
numbered so that the cells on both sides of a face differ by a constant stride. One loop over
all numbers then serves both grid directions, and compiles to vector instructions.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from llt.solvers.base import Array
from llt.solvers.kernel import inlined, kernel

GAMMA = 1.4

# differences below sqrt(SMOOTH) are hardly limited: shocks are far stronger, and a limiter that
# answers to every ripple keeps Newton's method from converging
SMOOTH = 1e-4

Four = tuple[float, float, float, float]


@inlined
def roe(
    rl: float, ul: float, vl: float, pl: float,
    rr: float, ur: float, vr: float, pr: float,
    nx: float, ny: float,
) -> Four:  # fmt: skip
    """Roe's flux through a face of unit area with unit normal (nx, ny), from left to right."""
    nl, nr = ul * nx + vl * ny, ur * nx + vr * ny
    hl = GAMMA / (GAMMA - 1) * pl / rl + 0.5 * (ul * ul + vl * vl)
    hr = GAMMA / (GAMMA - 1) * pr / rr + 0.5 * (ur * ur + vr * vr)

    sl, sr = sqrt(rl), sqrt(rr)
    r, t = sl * sr, sr / (sl + sr)
    u, v, h = ul + t * (ur - ul), vl + t * (vr - vl), hl + t * (hr - hl)
    un, q = u * nx + v * ny, 0.5 * (u * u + v * v)
    c2 = (GAMMA - 1) * (h - q)
    c = sqrt(c2)

    dr, du, dv, dp, dn = rr - rl, ur - ul, vr - vl, pr - pl, nr - nl
    slow = _speed(un - c, 0.1 * c) * (dp - r * c * dn) / (2 * c2)
    fast = _speed(un + c, 0.1 * c) * (dp + r * c * dn) / (2 * c2)
    flow = _speed(un, 0.01 * c)
    entropy, shear = flow * (dr - dp / c2), flow * r
    mass, sound = slow + fast + entropy, (fast - slow) * c
    return (
        0.5 * (rl * nl + rr * nr - mass),
        0.5 * (rl * nl * ul + rr * nr * ur + (pl + pr - sound) * nx - mass * u)
        - 0.5 * shear * (du - dn * nx),
        0.5 * (rl * nl * vl + rr * nr * vr + (pl + pr - sound) * ny - mass * v)
        - 0.5 * shear * (dv - dn * ny),
        0.5 * (rl * nl * hl + rr * nr * hr - (slow + fast) * h - sound * un)
        - 0.5 * (entropy * q + shear * (u * du + v * dv - un * dn)),
    )


@inlined
def _speed(x: float, width: float) -> float:
    """|x|, rounded off near 0: Harten's entropy fix, and a derivative for Newton's method."""
    return abs(x) if abs(x) > width else 0.5 * (x * x / width + width)


@inlined
def _half_slope(a: float, b: float) -> float:
    """van Albada's mean of two differences, halved: smooth, and near 0 when the signs differ."""
    a2, b2 = a * a + SMOOTH, b * b + SMOOTH
    return 0.5 * (a * b2 + b * a2) / (a2 + b2)


@kernel
def face_states(w: Array, stride: int, order: float) -> tuple[Array, Array]:
    """What the cells k - stride and k look like from the face between them, each (4, n).

    Args:
        order: 1 for second order in space, 0 for first.
    """
    n, s = w.shape[1], stride
    # allocated here and not passed in: only then the compiler knows that they do not overlap w
    left, right = np.ones((4, n)), np.ones((4, n))
    for c in range(4):
        left_c, right_c = left[c, 2 * s :], right[c, 2 * s :]
        behind, here, ahead, beyond = w[c], w[c, s:], w[c, 2 * s :], w[c, 3 * s :]
        for k in range(n - 3 * s):
            x = ahead[k] - here[k]
            left_c[k] = here[k] + order * _half_slope(here[k] - behind[k], x)
            right_c[k] = ahead[k] - order * _half_slope(x, beyond[k] - ahead[k])
    return left, right


@kernel
def face_fluxes(
    left: Array, right: Array, nx: Array, ny: Array, area: Array
) -> tuple[Array, Array, Array, Array]:
    """Roe's fluxes of mass, x momentum, y momentum and energy through all faces, each (n,)."""
    n = left.shape[1]
    rl, ul, vl, pl = left[0], left[1], left[2], left[3]
    rr, ur, vr, pr = right[0], right[1], right[2], right[3]
    f0, f1, f2, f3 = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for k in range(n):
        g0, g1, g2, g3 = roe(rl[k], ul[k], vl[k], pl[k], rr[k], ur[k], vr[k], pr[k], nx[k], ny[k])
        f0[k], f1[k], f2[k], f3[k] = area[k] * g0, area[k] * g1, area[k] * g2, area[k] * g3
    return f0, f1, f2, f3
