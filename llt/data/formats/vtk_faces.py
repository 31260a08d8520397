"""The boundary of a mesh: faces that one cell has alone, and patches as sets of cells.

Faces are triangles, or the edges of a mesh in a plane; one is on a patch if all its corners are.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from llt.data.formats.blocks import dimension
from llt.data.formats.loaded import Loaded, update, vtk
from llt.data.formats.mesh import Array

FLAT = 1e-6  # of the largest edge: a box that is not thicker is a plane
Faces = tuple[Array, Array, Array]  # corners (F, 2 or 3), cells they are of (F,), normals (F, 3)


def cell_patches(loaded: Loaded) -> Mapping[str, Array]:
    """Cells that are a patch where the reader knows them, else those with a face on it."""
    data, known = loaded.data, loaded.cell_patches
    dim = dimension(data) if data.n_cells else 0
    if dim < 2 or loaded.patches.keys() <= known.keys():
        return known
    corners, owners, _ = boundary(data, dim)
    found = dict(known)
    for name in loaded.patches.keys() - known.keys():
        on = np.asarray(loaded.patches[name], bool)[corners].all(axis=1)
        found[name] = np.bincount(owners[on], minlength=data.n_cells) > 0
    return {name: found[name] for name in loaded.patches}


def boundary(data: Any, dim: int) -> Faces:
    """Of a mesh whose cells have a dimension of 2 or 3."""
    surface = surface_of(data)
    points = np.asarray(data.points, np.float64)
    ids = np.asarray(surface.point_data["vtkOriginalPointIds"])
    corners = ids[surface.faces.reshape(-1, 4)[:, 1:]]
    owners = np.asarray(surface.cell_data["vtkOriginalCellIds"])
    a, b, c = np.moveaxis(points[corners], 1, 0)
    normals = np.cross(b - a, c - a) / 2
    if dim == 2 and is_flat(points):
        return _edges(points, corners, owners, normals)
    if dim == 3:  # away from the cell
        centers = np.asarray(data.cell_centers().points, np.float64)[owners]
        normals *= np.where(_dot(normals, a - centers) < 0, -1, 1)[:, None]
    elif _dot(normals, a - points.mean(axis=0)).sum() < 0:  # the volume inside
        normals = -normals
    return corners, owners, normals


def surface_of(data: Any) -> Any:
    """Triangles; of a surface itself. Arrays say which points and cells they are of."""
    outside = vtk("vtkFiltersGeometry", "vtkDataSetSurfaceFilter")()
    outside.SetInputData(data)
    outside.SetNonlinearSubdivisionLevel(0)
    outside.PassThroughPointIdsOn()
    outside.PassThroughCellIdsOn()
    split = vtk("vtkFiltersCore", "vtkTriangleFilter")()
    split.SetInputConnection(outside.GetOutputPort())
    split.PassVertsOff()
    split.PassLinesOff()
    return import_module("pyvista").wrap(update(split))


def _edges(points: Array, triangles: Array, owners: Array, areas: Array) -> Faces:
    """Of a mesh in a plane: sides that one triangle has alone."""
    sides = np.concatenate([triangles[:, [i, j]] for i, j in ((0, 1), (1, 2), (2, 0))])
    across = np.concatenate([triangles[:, k] for k in (2, 0, 1)])
    _, first, count = np.unique(
        np.sort(sides, axis=1), axis=0, return_index=True, return_counts=True
    )
    alone = first[count == 1]
    sides, across = sides[alone], across[alone]
    up = areas[np.abs(areas).sum(axis=1).argmax()]
    a, b = points[sides[:, 0]], points[sides[:, 1]]
    normals = np.cross(b - a, up / np.linalg.norm(up))
    normals *= np.where(_dot(normals, a - points[across]) < 0, -1, 1)[:, None]
    return sides, np.tile(owners, 3)[alone], normals


def is_flat(points: Array) -> bool:
    edges = np.ptp(points, axis=0)
    return bool(edges.min() <= FLAT * edges.max())


def _dot(a: Array, b: Array) -> Array:
    return np.asarray((a * b).sum(axis=1))
