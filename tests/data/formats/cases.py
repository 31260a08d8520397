"""Small cases of every format, and what a reader must find in each.

Written by pyvista where it can; by hand from the specification for CGNS, OpenFOAM and EnSight.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyvista as pv
from scipy.io import savemat

from tests.data.formats.case import CUBE, HEX, START, Case, rng
from tests.data.formats.cgns_cases import cgns, cgns_grid


def mixed_cells() -> pv.UnstructuredGrid:
    """A cube with a pyramid on it and a tetrahedron beside."""
    points = np.concatenate([CUBE, [[0.5, 0.5, 2], [3, 0, 0], [4, 0, 0], [3, 1, 0], [3, 0, 1]]])
    cells = [8, *HEX, 5, 4, 5, 7, 6, 8, 4, 9, 10, 11, 12]
    kinds = [pv.CellType.HEXAHEDRON, pv.CellType.PYRAMID, pv.CellType.TETRA]
    return with_arrays(pv.UnstructuredGrid(cells, kinds, points.astype(np.float32)))


def surface() -> pv.PolyData:
    """Two triangles and a quad."""
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 1], [2, 1, 1]], float)
    return with_arrays(pv.PolyData(points, [3, 0, 1, 2, 3, 0, 2, 3, 4, 1, 4, 5, 2]))


def curved_grid() -> pv.StructuredGrid:
    x, y = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 3), indexing="ij")
    return with_arrays(pv.StructuredGrid(x, y + x**2, 0 * x))


def with_arrays(mesh: Any) -> Any:
    mesh.clear_data()
    mesh.point_data["p"] = rng.random(mesh.n_points)
    mesh.point_data["U"] = rng.random((mesh.n_points, 3)).astype(np.float32)
    mesh.cell_data["rho"] = rng.random(mesh.n_cells)
    mesh.cell_data["id"] = np.arange(mesh.n_cells)
    mesh.field_data["mach"] = [0.3]
    return mesh


def saved(mesh: Any, path: Path, grid: tuple[int, ...] | None = None, **how: Any) -> Case:
    mesh.save(path, **how)
    return Case(
        path,
        np.asarray(mesh.points, float),
        np.asarray(mesh.cell_centers().points, float),
        {name: np.asarray(mesh.point_data[name]) for name in mesh.point_data},
        {name: np.asarray(mesh.cell_data[name]) for name in mesh.cell_data},
        grid,
        case_fields={"mach": 0.3},
        files=(path,),
    )


def vti() -> pv.ImageData:
    return with_arrays(pv.ImageData(dimensions=(4, 3, 2), spacing=(1, 2, 3), origin=(5, 0, 0)))


def vtr() -> pv.RectilinearGrid:
    return with_arrays(pv.RectilinearGrid(np.array([0.0, 1, 3]), np.arange(4.0), np.arange(2.0)))


def vtkhdf_series(folder: Path) -> Case:
    """A mesh that stays and two steps of a field, as the format's page has them."""
    path, p = folder / "series.vtkhdf", rng.random((2, 8))
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = (2, 3)
        root.attrs.create("Type", b"UnstructuredGrid", dtype="S16")
        root["Points"], root["Connectivity"] = CUBE, HEX
        root["Offsets"], root["Types"] = np.array([0, 8]), np.array([12], np.uint8)
        for name, value in (("Points", 8), ("Cells", 1), ("ConnectivityIds", 8)):
            root[f"NumberOf{name}"] = np.array([value])
        root["PointData/p"] = p.reshape(-1)
        steps = root.create_group("Steps")
        steps.attrs["NSteps"] = 2
        steps["Values"] = np.array([0.0, 0.5])
        steps["NumberOfParts"] = np.array([1, 1])
        for name in ("PartOffsets", "PointOffsets"):
            steps[name] = np.zeros(2, int)
        for name in ("CellOffsets", "ConnectivityIdOffsets"):
            steps[name] = np.zeros((2, 1), int)
        steps["PointDataOffsets/p"] = np.array([0, 8])
    return Case(path, CUBE, CUBE.mean(axis=0)[None], {"p": p[1]}, times=(0.0, 0.5), files=(path,))


def stl(folder: Path) -> Case:
    """Four triangles; a corner that they share is stored with each."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    pv.PolyData(corners, np.insert(faces, 0, 3, axis=1).reshape(-1)).save(folder / "part.stl")
    order = [*dict.fromkeys(faces.reshape(-1))]
    path = folder / "part.stl"
    return Case(path, corners[order], corners[faces].mean(axis=1), files=(path,))


def gmsh(folder: Path, version: str = "4.1") -> Case:
    """Two triangles and the edges of a wall."""
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    triangles, p = np.array([[0, 1, 2], [0, 2, 3]]), rng.random(4)
    path = folder / f"plate{version}.msh"
    nodes = "\n".join(f"{i + 1} {x} {y} {z}" for i, (x, y, z) in enumerate(points))
    data = "\n".join(f"{i + 1} {value!r}" for i, value in enumerate(p.tolist()))
    names = '$PhysicalNames\n2\n1 7 "wall"\n2 8 "plate"\n$EndPhysicalNames\n'
    if version == "2.2":
        mesh = (
            f"$Nodes\n4\n{nodes}\n$EndNodes\n"
            "$Elements\n3\n1 1 2 7 1 1 2\n2 2 2 8 1 1 2 3\n3 2 2 8 1 1 3 4\n$EndElements\n"
        )
    else:
        plain = "\n".join(f"{x} {y} {z}" for x, y, z in points)
        mesh = (
            "$Entities\n0 1 1 0\n1 0 0 0 1 0 0 1 7 0\n1 0 0 0 1 1 0 1 8 0\n$EndEntities\n"
            f"$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n{plain}\n$EndNodes\n"
            "$Elements\n2 3 1 3\n1 1 1 1\n1 1 2\n2 1 2 2\n2 1 2 3\n3 1 3 4\n$EndElements\n"
        )
    path.write_text(
        f"$MeshFormat\n{version} 0 8\n$EndMeshFormat\n{names}{mesh}"
        f'$NodeData\n1\n"p"\n1\n0.0\n3\n0\n1\n4\n{data}\n$EndNodeData\n'
    )
    return Case(
        path,
        points,
        points[triangles].mean(axis=1),
        {"p": p},
        patches={"wall": [0, 1], "plate": [0, 1, 2, 3]},
        cell_patches={"wall": [0], "plate": [0, 1]},
        files=(path,),
    )


def ensight(folder: Path) -> Case:
    """Gold, as text: a cube, its floor as a part of its own, two times."""
    p = rng.random((2, 8)).round(5)
    floor = [0, 1, 3, 2]
    part = "part\n{:10d}\n{}\ncoordinates\n{:10d}\n{}\n{}\n{:10d}\n{}\n"

    def column(values: Any) -> str:
        return "\n".join(f"{value:12.5e}" for value in np.ravel(values))

    geometry = "a cube\nwith its floor\nnode id assign\nelement id assign\n"
    hexa = "".join(f"{i + 1:10d}" for i in HEX)
    geometry += part.format(1, "fluid", 8, column(CUBE.T), "hexa8", 1, hexa)
    quad = "".join(f"{i + 1:10d}" for i in range(4))
    geometry += part.format(2, "floor", 4, column(CUBE[floor].T), "quad4", 1, quad)
    (folder / "cube.geo").write_text(geometry)
    for step in range(2):
        text = f"pressure\npart\n{1:10d}\ncoordinates\n{column(p[step])}\n"
        text += f"part\n{2:10d}\ncoordinates\n{column(p[step][floor])}\n"
        (folder / f"cube.p{step:04d}").write_text(text)
    path = folder / "cube.case"
    path.write_text(
        "FORMAT\ntype: ensight gold\nGEOMETRY\nmodel: cube.geo\n"
        "VARIABLE\nscalar per node: 1 p cube.p****\n"
        "TIME\ntime set: 1\nnumber of steps: 2\nfilename start number: 0\n"
        "filename increment: 1\ntime values: 0.0 0.25\n"
    )
    return Case(
        path,
        CUBE,
        CUBE.mean(axis=0)[None],
        {"p": p[1].astype(np.float32)},
        patches={"floor": range(4)},
        cell_patches={"floor": [0]},
        times=(0.0, 0.25),
        files=(path, folder / "cube.geo", folder / "cube.p0001"),
    )


FOAM = "FoamFile\n{{\n    version 2.0;\n    format ascii;\n    class {};\n    object {};\n}}\n"


def openfoam(folder: Path) -> Case:
    """Two cells along x, with inlet, outlet and walls, at times 0 and 10."""
    case = folder / "case"
    points = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)], float)
    inner = [(1, 4, 10, 7)]
    inlet, outlet = [(0, 6, 9, 3)], [(2, 5, 11, 8)]
    walls = [
        (0, 3, 4, 1), (6, 7, 10, 9), (0, 1, 7, 6), (3, 9, 10, 4),
        (1, 4, 5, 2), (7, 8, 11, 10), (1, 2, 8, 7), (4, 10, 11, 5),
    ]  # fmt: skip
    faces = inner + inlet + outlet + walls
    owner = [0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1]
    mesh = case / "constant" / "polyMesh"
    for place in (case / "system", mesh, case / "0", case / "10"):
        place.mkdir(parents=True)

    def put(path: Path, kind: str, text: str) -> None:
        path.write_text(FOAM.format(kind, path.name) + text)

    def rows(values: Any, count: int) -> str:
        return f"{count}\n(\n" + "\n".join(values) + "\n)\n"

    put(mesh / "points", "vectorField", rows((f"({x} {y} {z})" for x, y, z in points), 12))
    put(mesh / "faces", "faceList", rows((f"4({' '.join(map(str, f))})" for f in faces), 11))
    put(mesh / "owner", "labelList", rows(map(str, owner), 11))
    put(mesh / "neighbour", "labelList", rows(["1"], 1))
    patches = (("inlet", 1, 1), ("outlet", 1, 2), ("walls", 8, 3))
    entry = "{} {{ type patch; nFaces {}; startFace {}; }}"
    put(mesh / "boundary", "polyBoundaryMesh", rows((entry.format(*p) for p in patches), 3))
    control = "startFrom startTime; startTime 0; stopAt endTime; endTime 10; deltaT 1;\n"
    control += "writeControl timeStep; writeInterval 10; writeFormat ascii;\n"
    put(case / "system" / "controlDict", "dictionary", control)
    p = {0: rng.random(2).round(4), 10: rng.random(2).round(4)}
    U = rng.random((2, 3)).round(4)
    for time, values in p.items():
        boundary = "boundaryField { " + " ".join(
            f"{name} {{ type zeroGradient; }}" for name, *_ in patches
        )
        text = "dimensions [0 2 -2 0 0 0 0];\ninternalField nonuniform List<scalar> "
        put(
            case / str(time) / "p",
            "volScalarField",
            f"{text}{rows(map(str, values), 2)};\n{boundary} }}\n",
        )
        text = "dimensions [0 1 -1 0 0 0 0];\ninternalField nonuniform List<vector> "
        vectors = rows((f"({a} {b} {c})" for a, b, c in U), 2)
        put(case / str(time) / "U", "volVectorField", f"{text}{vectors};\n{boundary} }}\n")
    (case / "case.foam").touch()
    return Case(
        case,
        points,
        np.array([[0.5, 0.5, 0.5], [1.5, 0.5, 0.5]]),
        {},
        {"p": p[10].astype(np.float32), "U": U.astype(np.float32)},
        patches={"inlet": [0, 3, 6, 9], "outlet": [2, 5, 8, 11], "walls": range(12)},
        cell_patches={"inlet": [0], "outlet": [1], "walls": [0, 1]},
        units={"p": "m^2 s^-2", "U": "m s^-1"},
        times=(0.0, 10.0),
        files=(
            *sorted(path for path in mesh.iterdir()),
            case / "10" / "p",
            case / "system" / "controlDict",
        ),
    )


def arrays(folder: Path, suffix: str) -> Case:
    path, found = folder / f"case{suffix}", {"p": rng.random(7), "U": rng.random((7, 3))}
    points = rng.random((7, 3))
    given = {"points": points, **found, "mach": np.array([0.3])}
    if suffix == ".npz":
        np.savez(path, **given)
    elif suffix == ".mat":
        savemat(path, given)
    else:
        with h5py.File(path, "w") as file:
            for name, value in given.items():
                file[name] = value
            file["p"].attrs["unit"] = "Pa"
    units = {"p": "Pa"} if suffix == ".h5" else {}
    return Case(path, points, None, found, case_fields={"mach": 0.3}, units=units, files=(path,))


def csv(folder: Path) -> Case:
    path, points, p = folder / "case.csv", rng.random((7, 2)), rng.random(7)
    lines = [f"{x!r},{y!r},{v!r}" for (x, y), v in zip(points.tolist(), p.tolist(), strict=True)]
    path.write_text("\n".join(["x,y,p [Pa]", *lines, ""]))
    return Case(path, points, None, {"p": p}, units={"p": "Pa"}, files=(path,))


def _seeded(make: Callable[[Path], Case]) -> Callable[[Path], Case]:
    """The same numbers, whatever was made before."""

    def made(folder: Path) -> Case:
        rng.bit_generator.state = START
        return make(folder)

    return made


_MAKERS: dict[str, Callable[[Path], Case]] = {
    "vtu": lambda f: saved(mixed_cells(), f / "case.vtu"),
    "vtu-text": lambda f: saved(mixed_cells(), f / "case.vtu", binary=False),
    "vtp": lambda f: saved(surface(), f / "case.vtp"),
    "vts": lambda f: saved(curved_grid(), f / "case.vts", (3, 4)),
    "vti": lambda f: saved(vti(), f / "case.vti", (2, 3, 4)),
    "vtr": lambda f: saved(vtr(), f / "case.vtr", (2, 4, 3)),
    "vtk": lambda f: saved(mixed_cells(), f / "case.vtk"),
    "vtk-text": lambda f: saved(with_arrays(vti()), f / "case.vtk", (2, 3, 4), binary=False),
    "vtk-surface": lambda f: saved(surface(), f / "case.vtk"),
    "vtk-grid": lambda f: saved(curved_grid(), f / "case.vtk", (3, 4)),
    "vtkhdf": lambda f: saved(mixed_cells(), f / "case.vtkhdf"),
    "vtkhdf-series": vtkhdf_series,
    "cgns": cgns,
    "cgns-grid": cgns_grid,
    "openfoam": openfoam,
    "ensight": ensight,
    "stl": stl,
    "gmsh-2": lambda f: gmsh(f, "2.2"),
    "gmsh-4": gmsh,
    "npz": lambda f: arrays(f, ".npz"),
    "h5": lambda f: arrays(f, ".h5"),
    "mat": lambda f: arrays(f, ".mat"),
    "csv": csv,
}
CASES = {name: _seeded(make) for name, make in _MAKERS.items()}
