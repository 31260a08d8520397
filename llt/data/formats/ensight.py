"""EnSight cases: a file that names those with the geometry and the variables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from llt.data.formats.blocks import one_mesh
from llt.data.formats.inside import check_inside
from llt.data.formats.loaded import Loaded, times_of, update, vtk
from llt.data.formats.mesh import time_index
from llt.errors import DataError

LONGEST = 2**20  # bytes of a case file
# model: 1 1 name.geo; scalar per node: 1 name name.scl
NAMED = re.compile(rb"^\s*(model|measured|match|boundary|[\w ]+ per [\w ]+):(.*)$", re.MULTILINE)


def read_times(path: Path) -> tuple[float, ...]:
    return times_of(_open(path))


def load(path: Path, time: float | None) -> Loaded:
    reader = _open(path)
    times = times_of(reader)
    chosen = times[time_index(times, time)] if times or time is not None else None
    if chosen is not None:
        reader.SetTimeValue(chosen)
    return one_mesh(update(reader, chosen))


def _open(path: Path) -> Any:
    _check_names(path)
    reader = vtk("vtkIOEnSight", "vtkGenericEnSightReader")()
    reader.SetFilePath(f"{path.parent}/")
    reader.SetCaseFileName(path.name)
    reader.ReadAllVariablesOn()
    return reader


def _check_names(path: Path) -> None:
    """Files that a case names lie beside it; a pattern as p.**** stands for any of them."""
    content = path.read_bytes()
    if len(content) > LONGEST or b"FORMAT" not in content:
        raise DataError("not the case file of EnSight")
    for _, words in NAMED.findall(content):
        for word in words.split():
            name = word.decode(errors="replace").strip('"')
            check_inside(path.parent, path.parent / name, path.name)
            if "*" in name:
                for found in path.parent.glob(re.sub(r"\*+", "*", name)):
                    check_inside(path.parent, found, path.name)
