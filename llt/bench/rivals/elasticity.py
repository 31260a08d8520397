"""Elasticity: scikit-fem on the same mesh, with the same material, linear solver and tolerance.

So the times compare the assembly, and the displacements check each other.
"""

from __future__ import annotations

from functools import partial
from time import process_time
from typing import Any

import numpy as np
import skfem
from scipy.sparse.linalg import splu
from skfem.helpers import ddot

from llt.bench.rivals import Comparison, relative
from llt.solvers.base import Array, sample_rng
from llt.solvers.elasticity import Settings, material, void
from llt.solvers.elasticity.equilibrium import TOLERANCE
from llt.solvers.elasticity.mesh import Mesh, morph, template
from llt.solvers.elasticity.sample import pull

PLAIN = "scikit-fem"

LOAD = skfem.LinearForm(lambda v, w: v[1])
INTERNAL = skfem.LinearForm(lambda v, w: ddot(w["p"], v.grad))
STIFFNESS = skfem.BilinearForm(
    lambda u, v, w: ddot(np.einsum("ijkl...,kl...->ij...", w["slope"], u.grad), v.grad)
)


def compare(index: int, settings: Settings) -> Comparison:
    radius = partial(void.radius, void.draw_theta(sample_rng(0, index)))
    mesh = morph(template(settings.refine), radius)
    start = process_time()
    ours = pull(mesh, settings.traction).displacement
    middle = process_time()
    plain = _solve(mesh, settings.traction)
    seconds = process_time() - middle
    return Comparison(middle - start, seconds, relative(ours.ravel(), plain.ravel()))


def _solve(mesh: Mesh, traction: float) -> Array:
    basis, nodal = _basis(mesh)
    load = traction * skfem.asm(LOAD, basis.boundary(lambda x: x[1] > 1 - 1e-9))
    free = np.setdiff1d(np.arange(basis.N), basis.get_dofs(lambda x: x[1] < 1e-9).all())
    u = np.zeros(basis.N)
    while True:
        h = basis.interpolate(u).grad  # (2, 2, E, 9)
        unbalanced = (load - skfem.asm(INTERNAL, basis, p=_piola_stress(h)))[free]
        if np.linalg.norm(unbalanced) < TOLERANCE * np.linalg.norm(load):
            return u[nodal]
        matrix = skfem.asm(STIFFNESS, basis, slope=_piola_slope(h)).tocsc()[free][:, free]
        u[free] += splu(matrix, permc_spec="MMD_AT_PLUS_A").solve(unbalanced)


def _basis(mesh: Mesh) -> tuple[Any, Any]:
    """The same nine-node quads, and the place of each of our displacements in its vector."""
    # its nodes of an element: corners, then edges, then the center; ours go row by row
    order = [0, 2, 8, 6, 1, 5, 7, 3, 4]
    corners, numbers = np.unique(mesh.elements[:, order[:4]], return_inverse=True)
    straight = skfem.MeshQuad(mesh.nodes[corners].T, numbers.reshape(-1, 4).T)
    its = skfem.MeshQuad2.from_mesh(straight)
    numbering = skfem.Basis(its, skfem.ElementQuad2()).element_dofs  # (9, E)
    its.doflocs[:, numbering] = mesh.nodes[mesh.elements[:, order]].T
    basis = skfem.Basis(its, skfem.ElementVector(skfem.ElementQuad2()), intorder=5)
    nodal = np.zeros((len(mesh.nodes), 2), dtype=int)
    places = basis.element_dofs.reshape(9, 2, -1)
    nodal[mesh.elements[:, order].T] = places.transpose(0, 2, 1)
    return basis, nodal


def _piola_stress(h: Array) -> Array:
    f, strain = _kinematics(h)
    return np.einsum("imeg,egmj->ijeg", f, material.stress(strain))


def _piola_slope(h: Array) -> Array:
    f, strain = _kinematics(h)
    push = np.einsum("imeg,egmjnl,kneg->ijkleg", f, material.tangent(strain), f, optimize=True)
    return push + np.einsum("ik,egjl->ijkleg", np.eye(2), material.stress(strain))


def _kinematics(h: Array) -> tuple[Array, Array]:
    """F, and the Green strain as (E, 9, 2, 2)."""
    f = np.eye(2)[:, :, None, None] + h
    return f, (np.einsum("mieg,mjeg->egij", f, f) - np.eye(2)) / 2
