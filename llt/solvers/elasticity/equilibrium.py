"""Static equilibrium at finite strain: total Lagrangian finite elements, Newton's method.

    ∫ P : ∇v dX = Σ load · v  for all v,    P = F S(E),    F = I + H,    H = ∇u

X and u refer to the undeformed body, E = (H + Hᵀ + Hᵀ H) / 2 is the Green strain.
All elements are summed at once, in batched products.
Shapes: Q elements, N nodes; 9 Gauss points, 4 components of ∇u at each, 18 displacements.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from llt.errors import SolverError
from llt.solvers.base import Array
from llt.solvers.elasticity import material
from llt.solvers.elasticity.mesh import Mesh, Quadrature, quadrature

TOLERANCE = 1e-10
MAX_ITERATIONS = 12


@dataclass(frozen=True, slots=True)
class Equilibrium:
    displacement: Array  # (N, 2)
    forces: Array  # (N, 2): internal forces, at held nodes those of the support
    points: Array  # (Q, 9, 2): the Gauss points, undeformed
    stress: Array  # (Q, 9, 2, 2): Cauchy stress at them
    residuals: list[float]  # relative unbalanced force, before each step and after the last


def solve(mesh: Mesh, *, held: NDArray[np.bool_], start: Array, load: Array) -> Equilibrium:
    """Balance the internal forces with the load.

    Args:
        held: (N, 2), the displacement components that keep their value in `start`.
        start: (N, 2), first guess of the displacement.
        load: (N, 2), nodal forces.
    """
    rule = quadrature(mesh)
    u = start.copy()
    residuals: list[float] = []
    for _ in range(MAX_ITERATIONS + 1):
        h = gradient(mesh, rule, u)
        # beyond an element turned inside out lie states that balance but no body can take
        if not (np.linalg.det(np.eye(2) + h) > 0).all():
            break
        forces = internal_forces(mesh, rule, h)
        unbalanced = (load - forces)[~held]
        scale = max(np.linalg.norm(load), np.linalg.norm(forces))
        residuals.append(float(np.linalg.norm(unbalanced) / scale))
        if residuals[-1] < TOLERANCE:
            return Equilibrium(u, forces, rule.points, cauchy_stress(h), residuals)
        u[~held] += _solve_linear(stiffness(mesh, rule, h, ~held), unbalanced)
    history = ", ".join(f"{residual:.2g}" for residual in residuals)
    raise SolverError(f"Newton diverged: residuals {history}, not below {TOLERANCE:g}")


def gradient(mesh: Mesh, rule: Quadrature, u: Array) -> Array:
    """H = ∇u at the Gauss points, (Q, 9, 2, 2)."""
    return (rule.gradient @ u[mesh.elements].reshape(-1, 1, 18, 1)).reshape(-1, 9, 2, 2)


def cauchy_stress(h: Array) -> Array:
    """σ = F S Fᵀ, not divided by the change of volume, since there is none."""
    f = np.eye(2) + h
    return f @ material.stress(_green(h)) @ _transposed(f)


def internal_forces(mesh: Mesh, rule: Quadrature, h: Array) -> Array:
    """∫ P : ∇v for the shape function v of each node and direction, (N, 2)."""
    p = (np.eye(2) + h) @ material.stress(_green(h))
    weighted = (rule.weights[..., None, None] * p).reshape(-1, 36, 1)
    local = _transposed(rule.gradient.reshape(-1, 36, 18)) @ weighted  # (Q, 18, 1)
    forces = np.zeros_like(mesh.nodes)
    np.add.at(forces, mesh.elements, local.reshape(-1, 9, 2))
    return forces


def stiffness(mesh: Mesh, rule: Quadrature, h: Array, free: NDArray[np.bool_]) -> sp.csc_array:
    """Derivative of the internal forces with respect to the free displacements."""
    number = np.full(free.shape, -1)
    number[free] = np.arange(free.sum())
    unknowns = number[mesh.elements].reshape(-1, 18)
    rows, columns = np.broadcast_arrays(unknowns[:, :, None], unknowns[:, None, :])
    kept = (rows >= 0) & (columns >= 0)
    entries = _element_stiffness(rule, h)[kept]
    return sp.csc_array((entries, (rows[kept], columns[kept])), shape=2 * [free.sum()])


def _element_stiffness(rule: Quadrature, h: Array) -> Array:
    """∫ ∇v : ∂P/∂F : ∇v for all pairs of shape functions of an element, (Q, 18, 18)."""
    weighted = rule.weights[..., None, None] * _stress_slope(h)  # (Q, 9, 4, 4)
    flux = (weighted @ rule.gradient).reshape(-1, 36, 18)
    return _transposed(rule.gradient.reshape(-1, 36, 18)) @ flux


def _stress_slope(h: Array) -> Array:
    """∂P/∂F as a matrix, (Q, 9, 4, 4): P changes with S, and with F at constant S."""
    f, strain = np.eye(2) + h, _green(h)
    push = np.einsum("...im,...mjnl,...kn->...ijkl", f, material.tangent(strain), f, optimize=True)
    turn = np.einsum("ik,...jl->...ijkl", np.eye(2), material.stress(strain))
    return (push + turn).reshape(*h.shape[:-2], 4, 4)


def _green(h: Array) -> Array:
    return (h + _transposed(h) + _transposed(h) @ h) / 2


def _solve_linear(matrix: sp.csc_array, right: Array) -> Array:
    try:
        # made for symmetric patterns: factors 1.6 to 2.7 times sparser than by the default
        return splu(matrix, permc_spec="MMD_AT_PLUS_A").solve(right)
    except RuntimeError as error:
        raise SolverError(f"Newton diverged: {error}") from None


def _transposed(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)
