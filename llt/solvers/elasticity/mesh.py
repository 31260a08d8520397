"""One template mesh, morphed to every void, and its Gauss points.

The template is the cell with a round void of radius 0.3 (made by `make_template.py`). A node at
angle φ and distance r from the center moves along its ray to

    r + (r_void(φ) - 0.3) (1 - s),    s = (r - 0.3) / (r_square(φ) - 0.3),

onto the void's rim where s = 0, not at all on the cell's edge where s = 1.
Shapes: Q elements, N nodes, 9 nodes and 9 Gauss points in each element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from llt.errors import SolverError
from llt.solvers.base import Array
from llt.solvers.elasticity import element

TEMPLATE_FILE = Path(__file__).with_name("template.npz")
TEMPLATE_RADIUS = 0.3
CENTER: Array = np.array([0.5, 0.5])
NUM_LEVELS = 3  # element size 0.1, 0.05, 0.025


@dataclass(frozen=True, slots=True)
class Mesh:
    nodes: Array  # (N, 2)
    elements: NDArray[np.intp]  # (Q, 9)


@dataclass(frozen=True, slots=True)
class Quadrature:
    """What integrals over a mesh need, at every Gauss point."""

    points: Array  # (Q, 9, 2)
    weights: Array  # (Q, 9)
    gradient: Array  # (Q, 9, 4, 18): from an element's displacements to ∇u


@cache
def template(level: int = 0) -> Mesh:
    """The mesh of the round void; each level halves the element size."""
    with np.load(TEMPLATE_FILE) as file:
        nodes, elements = file[f"nodes_{level}"], file[f"elements_{level}"]
    nodes.flags.writeable = False
    return Mesh(nodes, elements.astype(np.intp))


def morph(mesh: Mesh, radius: Callable[[Array], Array]) -> Mesh:
    """The template with its void reshaped to radius(φ)."""
    offset = mesh.nodes - CENTER
    r = np.hypot(*offset.T)
    ray = offset / r[:, None]
    to_edge = 0.5 / abs(ray).max(axis=1)
    s = (r - TEMPLATE_RADIUS) / (to_edge - TEMPLATE_RADIUS)
    shift = (radius(np.arctan2(*ray.T[::-1])) - TEMPLATE_RADIUS) * (1 - s)
    return Mesh(mesh.nodes + ray * shift[:, None], mesh.elements)


def quadrature(mesh: Mesh) -> Quadrature:
    corners = mesh.nodes[mesh.elements]  # (Q, 9, 2)
    local = element.slopes(element.GAUSS_POINTS)  # (9, 9, 2)
    jacobian = np.swapaxes(corners, 1, 2)[:, None] @ local  # (Q, 9, 2, 2)
    volume = np.linalg.det(jacobian)
    if not (volume > 0).all():
        raise SolverError(f"mesh folds: its smallest Jacobian is {volume.min():.3g}, not positive")
    slopes = local @ np.linalg.inv(jacobian)
    # ∂u_i/∂X_j = Σ_a u_ai ∂N_a/∂X_j: the rows are (i, j), the columns (a, k) with k = i only
    gradient = np.einsum("ik,egaj->egijak", np.eye(2), slopes)
    return Quadrature(
        points=element.shapes(element.GAUSS_POINTS) @ corners,
        weights=volume * element.GAUSS_WEIGHTS,
        gradient=gradient.reshape(-1, 9, 4, 18),
    )
