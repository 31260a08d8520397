"""Volumes, areas and normals of a mesh, as what integrals weigh its points or cells with.

The size of a cell or of a face is shared out equally among its corners. A face is on a patch if all
its corners are.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from llt.data.contents import REAL
from llt.data.formats.blocks import dimension
from llt.data.formats.loaded import Loaded, complaints, update, vtk
from llt.data.formats.mesh import Array, Weights
from llt.errors import DataError, unknown

FLAT = 1e-6  # of the largest edge: a box that is not thicker is a plane
Faces = tuple[Array, Array, Array]  # corners (F, 2 or 3), cells they are of (F,), normals (F, 3)
SIZES = ("", "Length", "Area", "Volume")  # of cells, by their dimension


def weights_of(loaded: Loaded, patch: str | None, *, cells: bool) -> Weights:
    """See `formats.weights`."""
    data = loaded.data
    dim = dimension(data) if data.n_cells else 0
    if dim == 0:
        raise DataError("has no cells, which areas and volumes are those of")
    if patch is None:
        return _whole(data, dim, cells=cells)
    mask = _mask(loaded, patch) if patch else np.ones(data.n_points, bool)
    corners, owners, normals = _faces(data, dim)
    on = mask[corners].all(axis=1)
    if not on.any():
        raise DataError(f"no face of the boundary has all its corners on the patch {patch!r}")
    corners, owners, normals = corners[on], owners[on], normals[on]
    num, each = (data.n_cells, 1) if cells else (data.n_points, corners.shape[1])
    places = owners if cells else corners.ravel()
    shares = np.repeat(normals / each, each, axis=0)
    sizes = np.linalg.norm(shares, axis=1)
    return Weights(
        sizes=np.bincount(places, sizes, num),
        normals=np.stack([np.bincount(places, part, num) for part in shares.T], axis=1),
        body=_is_body(data, dim),
    )


def _whole(data: Any, dim: int, *, cells: bool) -> Weights:
    with complaints():
        measured = data.compute_cell_sizes(length=dim == 1, area=dim == 2, volume=dim == 3)
    sizes = np.abs(np.asarray(measured.cell_data[SIZES[dim]], np.float64))
    if cells:
        return Weights(sizes=sizes, normals=np.zeros((len(sizes), 3)))
    mesh = data.cast_to_unstructured_grid()
    counts = np.diff(mesh.offset)
    shares = np.repeat(sizes / np.maximum(counts, 1), counts)
    points = np.bincount(mesh.cell_connectivity, shares, data.n_points)
    return Weights(sizes=points, normals=np.zeros((len(points), 3)))


def _mask(loaded: Loaded, patch: str) -> Array:
    if patch in loaded.patches:
        return np.asarray(loaded.patches[patch], bool)
    arrays = loaded.data.point_data
    known = [name for name in arrays.keys() if arrays[name].ndim == 1]  # noqa: SIM118
    if patch not in known or arrays[patch].dtype.kind not in REAL + "b":
        raise DataError(unknown("patch", patch, [*loaded.patches, *known] or ["(none)"]))
    return np.asarray(arrays[patch]) != 0


def _faces(data: Any, dim: int) -> Faces:
    """The boundary."""
    surface = _surface(data)
    points = np.asarray(data.points, np.float64)
    ids = np.asarray(surface.point_data["vtkOriginalPointIds"])
    corners = ids[surface.faces.reshape(-1, 4)[:, 1:]]
    owners = np.asarray(surface.cell_data["vtkOriginalCellIds"])
    a, b, c = np.moveaxis(points[corners], 1, 0)
    normals = np.cross(b - a, c - a) / 2
    if dim == 2 and _is_flat(points):
        return _edges(points, corners, owners, normals)
    if dim == 3:  # away from the cell
        centers = np.asarray(data.cell_centers().points, np.float64)[owners]
        normals *= np.where(_dot(normals, a - centers) < 0, -1, 1)[:, None]
    elif _dot(normals, a - points.mean(axis=0)).sum() < 0:  # the volume inside
        normals = -normals
    return corners, owners, normals


def _surface(data: Any) -> Any:
    """Triangles; of a surface itself."""
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


def _is_body(data: Any, dim: int) -> bool:
    return dim == 2 and not _is_flat(np.asarray(data.points))


def _is_flat(points: Array) -> bool:
    edges = np.ptp(points, axis=0)
    return bool(edges.min() <= FLAT * edges.max())


def _dot(a: Array, b: Array) -> Array:
    return np.asarray((a * b).sum(axis=1))
