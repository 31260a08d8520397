"""Meshes of Gmsh, with the fields that were stored in them; read by meshio."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from llt.data.formats.loaded import Loaded
from llt.data.formats.mesh import Array
from llt.errors import DataError

GROUP = "gmsh:physical"
OWN = "gmsh:"  # numbers of groups and the like, not fields


def load(path: Path) -> Loaded:
    mesh = _read(path)
    dims = [_dimension(block.type) for block in mesh.cells]
    if not dims:
        raise DataError("no cells in it")
    kept = [i for i, dim in enumerate(dims) if dim == max(dims)]
    for block in mesh.cells:
        if block.data.size and not 0 <= block.data.min() <= block.data.max() < len(mesh.points):
            raise DataError(f"{block.type} cells have corners that are not among the points")
    fields = {
        name: [values[i] for i in kept]
        for name, values in mesh.cell_data.items()
        if not name.startswith(OWN)
    }
    point_fields = {
        name: values for name, values in mesh.point_data.items() if not name.startswith(OWN)
    }
    points = np.zeros((len(mesh.points), 3))
    points[:, : mesh.points.shape[1]] = mesh.points
    whole = import_module("meshio").Mesh(
        points, [mesh.cells[i] for i in kept], point_data=point_fields, cell_data=fields
    )
    data = import_module("pyvista").from_meshio(whole)
    return Loaded(data, dict(_patches(mesh, dims)), dict(_zones(mesh, kept, max(dims))))


def _read(path: Path) -> Any:
    try:
        return import_module("meshio.gmsh").read(path)
    except SystemExit:  # so meshio ends some of its complaints
        raise DataError("not a file of Gmsh, or damaged") from None


def _dimension(kind: str) -> int:
    return int(import_module("meshio._mesh").topological_dimension[kind])


def _patches(mesh: Any, dims: list[int]) -> Iterator[tuple[str, Array]]:
    """The points of every physical group that has a name."""
    groups = mesh.cell_data.get(GROUP)
    for name, (number, dim) in mesh.field_data.items() if groups else ():
        mask = np.zeros(len(mesh.points), bool)
        for block, tags, own in zip(mesh.cells, groups, dims, strict=True):
            if own == dim:
                mask[block.data[np.asarray(tags) == number]] = True
        yield name, mask


def _zones(mesh: Any, kept: list[int], top: int) -> Iterator[tuple[str, Array]]:
    """The cells of every group that is part of the mesh itself."""
    groups = mesh.cell_data.get(GROUP)
    for name, (number, dim) in mesh.field_data.items() if groups else ():
        if dim == top:
            yield name, np.concatenate([np.asarray(groups[i]) == number for i in kept])
