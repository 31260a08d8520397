"""Stress at any point of the cell, to compare solutions whose Gauss points differ.

A point is sought in the elements near it, by Newton's method in their local coordinates. One just
outside the mesh, as where two meshes round the rim differently, takes the nearest place inside.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from llt.solvers.base import Array
from llt.solvers.elasticity import element
from llt.solvers.elasticity.equilibrium import cauchy_stress
from llt.solvers.elasticity.mesh import Mesh

_NEAREST = 6
_ITERATIONS = 10


def stress_at(mesh: Mesh, displacement: Array, points: Array) -> Array:
    """Cauchy stress (P, 2, 2) at points (P, 2), from the displacement (N, 2)."""
    owner, xi = _locate(mesh, points)
    return cauchy_stress(_gradient(mesh.nodes[owner], displacement[owner], xi))


def _gradient(nodes: Array, displacement: Array, xi: Array) -> Array:
    """∇u from the nodes and displacements of an element each, (P, 2, 2)."""
    local = element.slopes(xi)  # (P, 9, 2)
    slopes = local @ np.linalg.inv(np.swapaxes(nodes, -1, -2) @ local)
    return np.swapaxes(displacement, -1, -2) @ slopes


def _locate(mesh: Mesh, points: Array) -> tuple[NDArray[np.intp], Array]:
    """The nodes (P, 9) of the element that holds each point, and the point's ξ, η in it."""
    centers = mesh.nodes[mesh.elements[:, 4]]
    _, near = cKDTree(centers).query(points, k=_NEAREST)  # (P, K)
    nodes = mesh.nodes[mesh.elements[near]]  # (P, K, 9, 2)
    xi = np.zeros((*near.shape, 2))
    for _ in range(_ITERATIONS):
        jacobian = np.swapaxes(nodes, -1, -2) @ element.slopes(xi)
        step = np.linalg.solve(jacobian, _miss(nodes, xi, points)[..., None])[..., 0]
        xi = np.clip(xi + step, -1, 1)
    best = np.linalg.norm(_miss(nodes, xi, points), axis=-1).argmin(axis=1)
    rows = np.arange(len(points))
    return mesh.elements[near[rows, best]], xi[rows, best]


def _miss(nodes: Array, xi: Array, points: Array) -> Array:
    """From where ξ, η lie in each candidate element to the point, (P, K, 2)."""
    return points[:, None] - (element.shapes(xi)[..., None, :] @ nodes)[..., 0, :]
