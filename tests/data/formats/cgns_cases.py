"""Files of CGNS, node by node as its standard maps them to HDF5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from tests.data.formats.case import CUBE, HEX, Case, rng


def node(parent: Any, name: str, label: str, data: Any = None) -> Any:
    """Of CGNS, as its standard maps nodes to HDF5."""
    kinds = {"f8": "R8", "f4": "R4", "i4": "I4", "i8": "I8", "i1": "C1"}
    group = parent.create_group(name, track_order=True)
    if isinstance(data, str):
        data = np.frombuffer(data.encode(), np.int8)
    kind = "MT" if data is None else kinds[data.dtype.str[1:]]
    for key, value, length in (("name", name, 33), ("label", label, 33), ("type", kind, 3)):
        group.attrs.create(key, value.encode(), dtype=f"S{length}")
    group.attrs["flags"] = np.array([1], np.int32)
    if data is not None:
        group.create_dataset(" data", data=data)
    return group


def cgns(folder: Path) -> Case:
    """Two zones of one hexahedron each; the first has a wall below."""
    path = folder / "case.cgns"
    other = CUBE + np.array([2, 0, 0])
    p, rho = rng.random(16), rng.random(2)
    with h5py.File(path, "w", track_order=True) as file:
        base = _base(file, 3)
        node(base, "walls", "Family_t")
        for i, (name, points) in enumerate((("left", CUBE), ("right", other))):
            zone = _zone(base, name, points, p[8 * i : 8 * i + 8], rho[i : i + 1])
            if i == 0:
                _wall(zone)
    return Case(
        path,
        np.concatenate([CUBE, other]),
        np.stack([CUBE.mean(axis=0), other.mean(axis=0)]),
        {"Pressure": p},
        {"Density": rho},
        patches={"left": range(8), "right": range(8, 16), "wall": range(4), "Quads": range(4)},
        cell_patches={"left": [0], "right": [1], "wall": [0], "Quads": [0]},
        files=(path,),
    )


def cgns_grid(folder: Path) -> Case:
    """One structured zone in the plane."""
    path, p = folder / "grid.cgns", rng.random((4, 3))
    y, x = np.meshgrid(np.arange(4.0), np.arange(3.0) ** 2, indexing="ij")
    with h5py.File(path, "w", track_order=True) as file:
        base = _base(file, 2)
        zone = node(base, "plane", "Zone_t", np.array([[3, 4], [2, 3], [0, 0]], np.int32))
        node(zone, "ZoneType", "ZoneType_t", "Structured")
        coordinates = node(zone, "GridCoordinates", "GridCoordinates_t")
        node(coordinates, "CoordinateX", "DataArray_t", x)
        node(coordinates, "CoordinateY", "DataArray_t", y)
        solution = node(zone, "Solution", "FlowSolution_t")
        node(solution, "GridLocation", "GridLocation_t", "Vertex")
        node(solution, "Pressure", "DataArray_t", p)
    corners = np.stack([x, y, 0 * x], axis=-1)
    centers = (corners[1:, 1:] + corners[1:, :-1] + corners[:-1, 1:] + corners[:-1, :-1]) / 4
    return Case(
        path,
        corners.reshape(-1, 3),
        centers.reshape(-1, 3),
        {"Pressure": p.reshape(-1)},
        grid=(4, 3),
        files=(path,),
    )


def _base(file: Any, dim: int) -> Any:
    """What every file begins with."""
    about = (("name", b"HDF5 MotherNode", 33), ("label", b"Root Node of HDF5 File", 33))
    for key, value, length in (*about, ("type", b"MT", 3)):
        file.attrs.create(key, value, dtype=f"S{length}")
    file[" format"] = np.frombuffer(b"IEEE_LITTLE_32\0", np.int8)
    version = b"HDF5 Version 1.14.0".ljust(33, b"\0")
    file[" hdf5version"] = np.frombuffer(version, np.int8)
    node(file, "CGNSLibraryVersion", "CGNSLibraryVersion_t", np.array([3.4], np.float32))
    return node(file, "Base", "CGNSBase_t", np.array([dim, dim], np.int32))


def _zone(base: Any, name: str, points: Any, p: Any, rho: Any) -> Any:
    zone = node(base, name, "Zone_t", np.array([[8], [1], [0]], np.int32))
    node(zone, "ZoneType", "ZoneType_t", "Unstructured")
    coordinates = node(zone, "GridCoordinates", "GridCoordinates_t")
    for axis, values in zip("XYZ", points.T, strict=True):
        node(coordinates, f"Coordinate{axis}", "DataArray_t", np.ascontiguousarray(values))
    cells = node(zone, "Hexa", "Elements_t", np.array([17, 0], np.int32))
    node(cells, "ElementRange", "IndexRange_t", np.array([1, 1], np.int32))
    node(cells, "ElementConnectivity", "DataArray_t", (HEX + 1).astype(np.int32))
    for place, key, values in (("Vertex", "Pressure", p), ("CellCenter", "Density", rho)):
        solution = node(zone, f"At{place}", "FlowSolution_t")
        node(solution, "GridLocation", "GridLocation_t", place)
        node(solution, key, "DataArray_t", values)
    return zone


def _wall(zone: Any) -> None:
    faces = node(zone, "Quads", "Elements_t", np.array([7, 0], np.int32))
    node(faces, "ElementRange", "IndexRange_t", np.array([2, 2], np.int32))
    node(faces, "ElementConnectivity", "DataArray_t", np.array([1, 2, 4, 3], np.int32))
    conditions = node(zone, "ZoneBC", "ZoneBC_t")
    wall = node(conditions, "wall", "BC_t", "FamilySpecified")
    node(wall, "FamilyName", "FamilyName_t", "walls")
    node(wall, "PointRange", "IndexRange_t", np.array([[2, 2]], np.int32))
    node(wall, "GridLocation", "GridLocation_t", "FaceCenter")
