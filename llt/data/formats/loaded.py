"""What the readers of meshing and simulation programs hand on: a dataset of VTK and its names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from typing import Any

from llt.data.formats.mesh import Array
from llt.errors import DataError

# vtkSTLReader (0x55d0c1): unexpected end; for file: (Null FileName)
NOISE = re.compile(r"^vtk\w+ \(0x\w+\): | \(0x\w+\)| for file:.*$")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A mesh in memory; all that has a name in its file besides arrays."""

    data: Any  # vtkDataSet, wrapped by pyvista
    patches: Mapping[str, Array] = field(default_factory=dict)  # (N,) bool
    cell_patches: Mapping[str, Array] = field(default_factory=dict)  # (M,) bool, where it is known
    units: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)


def vtk(module: str, name: str) -> Any:
    """A class of VTK, loaded when it is needed."""
    return getattr(import_module(f"vtkmodules.{module}"), name)


@contextmanager
def complaints() -> Iterator[None]:
    """VTK raises nothing: it writes what went wrong into a window, and goes on with what it has."""
    window = vtk("vtkCommonCore", "vtkStringOutputWindow")()
    keeper = vtk("vtkCommonCore", "vtkOutputWindow")
    keeper.SetInstance(window)
    try:
        yield
    finally:
        keeper.SetInstance(None)
    told = window.GetOutput()
    text = told if isinstance(told, str) else told.decode(errors="replace")
    for before, line in pairwise(text.splitlines()):
        if before.startswith("ERROR:") or line.startswith("Error"):
            raise DataError(NOISE.sub("", line).strip() or "VTK cannot read it")


def update(reader: Any, time: float | None = None) -> Any:
    """The reader's output, at a time if it has several."""
    with complaints():
        if time is None:
            reader.Update()
        else:
            reader.UpdateTimeStep(time)
        return reader.GetOutputDataObject(0)


def times_of(reader: Any) -> tuple[float, ...]:
    """Growing; a reader may give one for a state that has none."""
    with complaints():
        reader.UpdateInformation()
        about = reader.GetOutputInformation(0)
    key = vtk("vtkCommonExecutionModel", "vtkStreamingDemandDrivenPipeline").TIME_STEPS()
    return tuple(sorted({float(time) for time in about.Get(key) or ()}))
