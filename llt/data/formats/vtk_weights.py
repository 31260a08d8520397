"""Volumes, areas and normals of a mesh, as what integrals weigh its points or cells with.

The size of a cell or of a face is shared out equally among its corners. A face is on a patch if all
its corners are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from llt.data.contents import REAL
from llt.data.formats.blocks import dimension
from llt.data.formats.loaded import Loaded, complaints
from llt.data.formats.mesh import Array, Weights
from llt.data.formats.vtk_faces import boundary, is_flat
from llt.errors import DataError, unknown

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
    corners, owners, normals = boundary(data, dim)
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


def _is_body(data: Any, dim: int) -> bool:
    return dim == 2 and not is_flat(np.asarray(data.points))
