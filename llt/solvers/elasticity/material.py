"""Incompressible Mooney-Rivlin rubber in plane stress.

    W = C1 (I1 - 3) + C2 (I2 - 3),    det C = 1,    σ33 = 0

With C = I + 2 E in the plane, d = det C and t = tr C, incompressibility gives C33 = 1/d, so
W = C1 (t + 1/d - 3) + C2 (d + t/d - 3) depends on C alone, and S = ∂W/∂E is

    S = a I + b C⁻¹,    a = 2 (C1 + C2/d),    b = 2 (C2 d - (C1 + C2 t)/d)

which already holds the pressure that makes σ33 vanish. At small strain a and b nearly cancel;
`stress` therefore sums the small differences from the undeformed state, exact at any load.
"""

from __future__ import annotations

import numpy as np

from llt.solvers.base import Array

C1 = 1.863e5
C2 = 9.79e3

_IDENTITY: Array = np.eye(2)


def stress(strain: Array) -> Array:
    """Second Piola-Kirchhoff stress S of the Green strain E, both (..., 2, 2)."""
    trace, growth, inverse_change = _small(2 * strain)
    d = 1 + growth
    a_plus_b = 2 * (C1 * growth + C2 * (growth * (2 + growth) - trace)) / d
    b = 2 * (C2 * d - (C1 + C2 * (2 + trace)) / d)
    return a_plus_b * _IDENTITY + b * inverse_change


def tangent(strain: Array) -> Array:
    """∂S_ij/∂E_kl, (..., 2, 2, 2, 2)."""
    trace, growth, inverse_change = _small(2 * strain)
    inverse = _IDENTITY + inverse_change
    d = (1 + growth)[..., None, None]
    p = (C1 + C2 * (2 + trace[..., None, None])) / d
    # ∂d/∂C = d C⁻¹, ∂t/∂C = I and ∂C⁻¹/∂C = -twist
    square = _outer("ij,kl", inverse, inverse)
    mixed = _outer("ij,kl", _IDENTITY, inverse) + _outer("ij,kl", inverse, _IDENTITY)
    twist = (_outer("ik,jl", inverse, inverse) + _outer("il,jk", inverse, inverse)) / 2
    return 4 * ((C2 * d + p) * square - C2 / d * mixed - (C2 * d - p) * twist)


def von_mises(sigma: Array) -> Array:
    """Von Mises stress of plane stresses (..., 2, 2)."""
    s11, s22, s12 = sigma[..., 0, 0], sigma[..., 1, 1], sigma[..., 0, 1]
    return np.sqrt(s11**2 - s11 * s22 + s22**2 + 3 * s12**2)


def _small(x: Array) -> tuple[Array, Array, Array]:
    """For C = I + x: tr x and det C - 1, shaped to multiply tensors, and C⁻¹ - I."""
    trace = np.trace(x, axis1=-2, axis2=-1)[..., None, None]
    det = (x[..., 0, 0] * x[..., 1, 1] - x[..., 0, 1] * x[..., 1, 0])[..., None, None]
    growth = trace + det
    return trace, growth, -(det * _IDENTITY + x) / (1 + growth)


def _outer(indices: str, a: Array, b: Array) -> Array:
    left, right = indices.split(",")
    return np.einsum(f"...{left},...{right}->...ijkl", a, b)
