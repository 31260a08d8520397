"""A car's two VTK files: quads with the pressure on its surface, hexahedra with the air's velocity.

VTK comes with pyvista, an optional dependency.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.errors import ConfigError, DataError
from llt.runtime.reading import check_file, reading

SURFACE, VOLUME = "quadpress_smpl.vtk", "hexvelo_smpl.vtk"
QUAD = 9  # VTK's number of this kind of cell
BYTES = {b"float": 4, b"double": 8}
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Surface:
    """The body of a car."""

    points: Array  # (M, 3); some may be in no quad
    quads: NDArray[np.int64]  # (Q, 4), corners
    normals: Array  # (Q, 3), outward, of length 1
    pressure: Array  # (M,)


@dataclass(frozen=True)
class Volume:
    """The air around a car."""

    points: Array  # (N, 3)
    velocity: Array  # (N, 3)


def load_pyvista() -> Any:
    try:
        return import_module("pyvista")
    except ImportError:
        raise ConfigError(
            "car: VTK files are read with pyvista, which is missing; pip install 'llt[cae]'"
        ) from None


def read_surface(path: Path) -> Surface:
    mesh = _read(path)
    pressure = _values(path, mesh, "pressure", mesh.point_data.active_scalars, ())
    points = np.asarray(mesh.points, np.float64)
    corners = _corners(path, mesh)
    if not (mesh.celltypes == QUAD).all() or len(corners) != 4 * mesh.n_cells:
        kinds = ", ".join(map(str, np.unique(mesh.celltypes)))
        raise DataError(
            f"{path}: {mesh.n_cells} cells of VTK's types {kinds} with {len(corners)} corners, "
            f"expected quads alone, of type {QUAD}"
        )
    quads = corners.reshape(-1, 4)
    _check_places(path, points, pressure, quads)
    return Surface(points, quads, _normals(path, points, quads), pressure)


def read_volume(path: Path) -> Volume:
    mesh = _read(path)
    velocity = _values(path, mesh, "velocity", mesh.point_data.active_vectors, (3,))
    points = np.asarray(mesh.points, np.float64)
    _check_places(path, points, velocity, _corners(path, mesh))
    return Volume(points, velocity)


def same_places(surface: Array, volume: Array) -> NDArray[np.int64]:
    """Of every point in the volume the surface point with its very coordinates, or -1."""
    both = np.concatenate([surface, volume])
    _, place = np.unique(both, axis=0, return_inverse=True)
    place = place.reshape(-1)
    owner = np.full(place.max() + 1, -1)
    owner[place[: len(surface)]] = np.arange(len(surface))
    return owner[place[len(surface) :]]


def _read(path: Path) -> Any:
    check_file(path)
    pyvista = load_pyvista()
    reader = import_module("vtkmodules.vtkIOLegacy").vtkUnstructuredGridReader()
    reader.SetFileName(str(path))
    # of what it complains about is too little there, or nothing
    with reading(path), pyvista.vtk_verbosity("off"):
        reader.Update()
        mesh = pyvista.wrap(reader.GetOutput())
    if not mesh.n_points or not mesh.n_cells:
        raise DataError(
            f"{path}: no legacy VTK file of an unstructured grid, or a damaged one: "
            f"{mesh.n_points} points and {mesh.n_cells} cells"
        )
    _check_finite(path, "points", mesh.points)
    return mesh


def _values(path: Path, mesh: Any, name: str, found: Any, shape: tuple[int, ...]) -> Array:
    """The file's scalars or vectors at the points, whatever they are called."""
    kind = "VECTORS" if shape else "SCALARS"
    if found is None or found.shape[1:] != shape:
        there = ", ".join(mesh.point_data.keys()) or "none"
        raise DataError(f"{path}: no {name}, {kind} of POINT_DATA; arrays there: {there}")
    _check_whole(path, kind, found.size)
    values = np.asarray(found, np.float64)
    _check_finite(path, name, values)
    return values


def _check_whole(path: Path, kind: str, size: int) -> None:
    """VTK reads a file that ends too early without a word, and makes up the numbers."""
    content = path.read_bytes()
    header = rf"^{kind}[ \t]+\S+[ \t]+(\w+).*\n(LOOKUP_TABLE.*\n)?".encode()
    start = max(content.find(b"POINT_DATA"), 0)
    found = re.compile(header, re.MULTILINE | re.IGNORECASE).search(content, start)
    if found is None:
        return
    if content.split(None, 20)[:20].count(b"BINARY"):
        there = (len(content) - found.end()) // BYTES.get(found[1].lower(), 1)
    else:
        there = len(content[found.end() :].split(None, size)[:size])
    if there < size:
        raise DataError(f"{path}: truncated: {there} of {size} numbers of {kind}")


def _corners(path: Path, mesh: Any) -> NDArray[np.int64]:
    """Points of all cells, one after the other."""
    corners = np.asarray(mesh.cell_connectivity, np.int64)
    if not corners.size or not 0 <= corners.min() <= corners.max() < mesh.n_points:
        ends = f"{corners.min()} to {corners.max()}" if corners.size else "none"
        raise DataError(f"{path}: cells have corners {ends}, there are {mesh.n_points} points")
    return corners


def _check_finite(path: Path, name: str, values: NDArray[Any]) -> None:
    bad = ~np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if bad.any():
        first = int(bad.argmax())
        raise DataError(f"{path}: {name} has NaN or infinity at {bad.sum()} points, first {first}")


def _check_places(path: Path, points: Array, values: Array, cells: NDArray[np.int64]) -> None:
    """A place in the mesh has one value; points that are in no cell may lie anywhere."""
    used = np.unique(cells)
    _, first, place = np.unique(points[used], axis=0, return_index=True, return_inverse=True)
    other = used[first][place.reshape(-1)]
    differs = (values[used] != values[other]).reshape(len(used), -1).any(axis=1)
    if differs.any():
        at = int(differs.argmax())
        raise DataError(
            f"{path}: points {other[at]} and {used[at]} are at the same place "
            "with different values; every point needs a place of its own"
        )


def _normals(path: Path, points: Array, quads: NDArray[np.int64]) -> Array:
    pyvista = load_pyvista()
    faces = np.insert(quads, 0, 4, axis=1).reshape(-1)
    found = pyvista.PolyData(points, faces).compute_normals(
        cell_normals=True,
        point_normals=False,
        consistent_normals=True,
        auto_orient_normals=True,
    )
    normals = np.asarray(found.cell_data["Normals"], np.float64)
    if normals.shape != (len(quads), 3):
        raise DataError(f"{path}: {len(quads)} quads have {len(normals)} normals")
    return normals
