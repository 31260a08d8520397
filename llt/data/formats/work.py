"""What is done in a process of its own: VTK and meshio at work on one case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from llt.data.formats import cgns, drawing, ensight, gmsh, openfoam, vtk_file
from llt.data.formats.drawing import Drawing
from llt.data.formats.kinds import suffix_of
from llt.data.formats.loaded import Loaded
from llt.data.formats.mesh import Array, Mesh, Weights
from llt.data.formats.vtk_mesh import to_mesh
from llt.data.formats.vtk_out import save
from llt.data.formats.vtk_weights import weights_of
from llt.errors import DataError
from llt.runtime.limits import VARIABLE
from llt.runtime.reading import check_file, naming, reading

T = TypeVar("T")


def read_times(path: Path) -> tuple[float, ...]:
    """None where there is one state alone, whatever time it was of."""
    found = _times(path)
    return found if len(found) > 1 else ()


def _times(path: Path) -> tuple[float, ...]:
    with reading(path):
        match suffix_of(path):
            case ".foam":
                return openfoam.read_times(path)
            case ".case" | ".encas":
                return ensight.read_times(path)
            case ".cgns":
                return cgns.read_times(path)
            case ".msh":
                return ()
            case _:
                return vtk_file.read_times(path)


def read(path: Path, time: float | None) -> Mesh:
    return _made_of(path, time, to_mesh)


def draw(path: Path, time: float | None) -> Drawing:
    return _made_of(path, time, drawing.draw)


def _made_of(path: Path, time: float | None, make: Callable[[Loaded], T]) -> T:
    with reading(path):
        try:
            return make(_load(path, time))
        except MemoryError:
            raise DataError(
                "takes more memory than a file of its size may; if that is right, "
                f"set {VARIABLE} higher"
            ) from None


def write(
    source: Path,
    out: Path,
    suffix: str,
    time: float | None,
    point_fields: Mapping[str, Array],
    cell_fields: Mapping[str, Array],
) -> None:
    with reading(source):
        loaded = _load(source, time)
    with naming(source):
        save(loaded.data, out, suffix, point_fields, cell_fields)


def weights(path: Path, patch: str | None, cells: bool, time: float | None) -> Weights:
    with reading(path):
        loaded = _load(path, time)
        to_mesh(loaded)  # which checks the cells
        return weights_of(loaded, patch, cells=cells)


def _load(path: Path, time: float | None) -> Loaded:
    suffix = suffix_of(path)
    if suffix != ".foam":
        check_file(path)
    match suffix:
        case ".foam":
            return openfoam.load(path, time)
        case ".case" | ".encas":
            return ensight.load(path, time)
        case ".cgns":
            return cgns.load(path, time)
        case ".msh":
            if time is not None:
                raise DataError("has no times")
            return gmsh.load(path)
        case _:
            return vtk_file.load(path, time)
