"""Make `template.npz`: the cell with a round void, meshed once. Development only, needs gmsh.

    python -m llt.solvers.elasticity.make_template

Unit square minus a circle of radius 0.3, size 0.1, Frontal-Delaunay triangles joined by Blossom
into 108 nine-node quads; each finer level splits every quad in four. gmsh numbers a mesh as it
likes, so elements are sorted by their angle around the void, nodes by first use, and the nine
nodes of an element row by row: the stored order, not gmsh's, fixes the order of the outputs.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.solvers.base import Array
from llt.solvers.elasticity.mesh import CENTER, NUM_LEVELS, TEMPLATE_FILE, TEMPLATE_RADIUS

SIZE = 0.1
# gmsh lists corners, then edge midpoints, then the center, all counterclockwise
ROW_BY_ROW = [0, 4, 1, 7, 8, 5, 3, 6, 2]


def main() -> None:
    gmsh: Any = import_module("gmsh")  # not a dependency, so neither imported nor typed above
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    arrays: dict[str, NDArray[Any]] = {}
    for level in range(NUM_LEVELS):
        _mesh(gmsh, level)
        nodes, elements = _renumber(*_read(gmsh.model.mesh))
        arrays |= {f"nodes_{level}": nodes, f"elements_{level}": elements.astype(np.uint16)}
    gmsh.finalize()
    assert arrays["nodes_0"].shape == (496, 2) and arrays["elements_0"].shape == (108, 9)
    np.savez_compressed(TEMPLATE_FILE, allow_pickle=False, **arrays)


def _mesh(gmsh: Any, level: int) -> None:
    gmsh.clear()
    geo = gmsh.model.geo
    # the size at a point is no upper bound to gmsh: without these two, curves are split finer
    gmsh.option.setNumber("Mesh.MeshSizeMin", SIZE)
    gmsh.option.setNumber("Mesh.MeshSizeMax", SIZE)
    gmsh.option.setNumber("Mesh.Algorithm", 6)  # Frontal-Delaunay
    gmsh.option.setNumber("Mesh.RecombinationAlgorithm", 1)  # Blossom
    corners = [geo.addPoint(x, y, 0) for x, y in [(0, 0), (1, 0), (1, 1), (0, 1)]]
    angles = np.arange(4) * np.pi / 2
    rim = CENTER + TEMPLATE_RADIUS * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    center = geo.addPoint(*CENTER, 0)
    quarters = [geo.addPoint(x, y, 0) for x, y in rim]
    sides = [geo.addLine(corners[i - 1], corners[i]) for i in range(4)]
    arcs = [geo.addCircleArc(quarters[i - 1], center, quarters[i]) for i in range(4)]
    surface = geo.addPlaneSurface([geo.addCurveLoop(sides), geo.addCurveLoop(arcs)])
    geo.synchronize()
    gmsh.model.mesh.setRecombine(2, surface)
    gmsh.model.mesh.generate(2)
    for _ in range(level):
        gmsh.model.mesh.refine()
    gmsh.model.mesh.setOrder(2)


def _read(mesh: Any) -> tuple[Array, NDArray[np.intp]]:
    tags, coordinates, _ = mesh.getNodes(2, includeBoundary=True)
    tags, first = np.unique(tags, return_index=True)
    nodes = coordinates.reshape(-1, 3)[first, :2]
    _, _, (corners,) = mesh.getElements(2)  # one type of element, or the unpacking fails
    return nodes, np.searchsorted(tags, corners).reshape(-1, 9)


def _renumber(nodes: Array, elements: NDArray[np.intp]) -> tuple[Array, NDArray[np.intp]]:
    nodes = np.where(abs(nodes - np.round(nodes)) < 1e-9, np.round(nodes), nodes)
    elements = np.array([_turned(element, nodes) for element in elements])[:, ROW_BY_ROW]
    x, y = (nodes[elements[:, 4]] - CENTER).T
    elements = elements[np.argsort(np.arctan2(y, x))]
    _, first, inverse = np.unique(elements, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return nodes[elements.ravel()[np.sort(first)]], rank[inverse].reshape(elements.shape)


def _turned(element: NDArray[np.intp], nodes: Array) -> NDArray[np.intp]:
    """The same element, its first corner the lower left one."""
    turn = -int(np.argmin(nodes[element[:4]].sum(axis=1)))
    return np.concatenate([np.roll(element[:4], turn), np.roll(element[4:8], turn), element[8:]])


if __name__ == "__main__":
    main()
