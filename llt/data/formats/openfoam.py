"""Cases of OpenFOAM: the folder with system/controlDict, or a .foam file in it.

The mesh in constant/polyMesh, and the fields of one time; reconstructed where it was decomposed.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from llt.data.formats.blocks import one_mesh
from llt.data.formats.inside import check_inside
from llt.data.formats.kinds import CONTROL
from llt.data.formats.loaded import Loaded, complaints, times_of, update, vtk
from llt.data.formats.mesh import time_index
from llt.errors import DataError

BASE = ("kg", "m", "s", "K", "mol", "A", "cd")
DIMENSIONS = re.compile(rb"dimensions\s*\[([-+.\d\s]*)\]")
INCLUDE = re.compile(rb'#\s*\w*[iI]nclude\w*\s*(?:"([^"\n]*)"|(\S*))')
HEAD = 2**14  # bytes in which a field has said its dimensions
PIECE = 2**24


def folder_of(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def read_times(path: Path) -> tuple[float, ...]:
    return times_of(_open(folder_of(path)))


def load(path: Path, time: float | None) -> Loaded:
    folder = folder_of(path)
    reader = _open(folder)
    times = times_of(reader)
    if not times:
        raise DataError("no folder of a time, as 0 or 100")
    chosen = times[time_index(times, time)]
    _check_files(folder, chosen)
    reader.EnableAllPatchArrays()
    reader.EnableAllCellArrays()
    reader.EnableAllPointArrays()
    found = one_mesh(update(reader, chosen))
    return replace(found, units=dict(_units(folder, chosen)))


def _open(folder: Path) -> Any:
    if not (folder / CONTROL).is_file():
        raise DataError(f"no {CONTROL} beside it, so no OpenFOAM case")
    if not any((folder / "constant" / "polyMesh").glob("points*")):
        if (folder / "processor0").is_dir():
            raise DataError("decomposed; run reconstructPar (and reconstructParMesh) first")
        raise DataError("no mesh in constant/polyMesh")
    _check_file(folder, folder / CONTROL)
    reader = vtk("vtkIOGeometry", "vtkOpenFOAMReader")()
    reader.SetFileName(str(folder / CONTROL))
    reader.CreateCellToPointOff()  # fields stay where they were computed
    if hasattr(reader, "DecomposePolyhedraOff"):  # before VTK 9.6
        reader.DecomposePolyhedraOff()
    reader.SkipZeroTimeOff()
    reader.ListTimeStepsByControlDictOff()
    with complaints():
        reader.UpdateInformation()
    return reader


def _time_folder(folder: Path, time: float) -> Path | None:
    for path in folder.iterdir():
        try:
            if path.is_dir() and float(path.name) == time:
                return path
        except ValueError:
            continue
    return None


def _check_files(folder: Path, time: float) -> None:
    """VTK follows what files include, wherever that is."""
    at = _time_folder(folder, time)
    for place in (folder / "constant" / "polyMesh", at):
        for path in sorted(place.iterdir()) if place is not None else ():
            if path.is_file():
                _check_file(folder, path)


def _check_file(folder: Path, path: Path) -> None:
    check_inside(folder, path, "the case")
    tail = b""
    for piece in _pieces(path):
        for quoted, bare in INCLUDE.findall(tail + piece):
            name = (quoted or bare).decode(errors="replace")
            if name.startswith(("$", "~", "<")):
                raise DataError(f"{path} includes {name}; write the path, in the case's folder")
            check_inside(folder, path.parent / name, path.name)
        tail = piece[-256:]


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as raw, gzip.open(raw) if path.suffix == ".gz" else raw as file:
        while piece := file.read(PIECE):
            yield piece


def _units(folder: Path, time: float) -> Iterator[tuple[str, str]]:
    """Of the fields, as kg m^-1 s^-2."""
    at = _time_folder(folder, time)
    for path in sorted(at.iterdir()) if at is not None else ():
        if not path.is_file():
            continue
        found = DIMENSIONS.search(next(_pieces(path), b"")[:HEAD])
        powers = [float(word) for word in found[1].split()] if found else []
        factors = [
            name if power == 1 else f"{name}^{power:g}"
            for name, power in zip(BASE, powers, strict=False)
            if power
        ]
        if factors:
            yield path.name.removesuffix(".gz"), " ".join(factors)
