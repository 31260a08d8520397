"""CGNS files: every zone of every base, with its boundary conditions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py

from llt.data.formats.blocks import one_mesh
from llt.data.formats.loaded import Loaded, complaints, times_of, update, vtk
from llt.data.formats.mesh import time_index
from llt.data.formats.vtk_file import check_hdf5
from llt.errors import DataError


def read_times(path: Path) -> tuple[float, ...]:
    return times_of(_open(path))


def load(path: Path, time: float | None) -> Loaded:
    reader = _open(path)
    times = times_of(reader)
    if times or time is not None:
        return one_mesh(update(reader, times[time_index(times, time)]))
    return one_mesh(update(reader))


def _open(path: Path) -> Any:
    if not h5py.is_hdf5(path):
        raise DataError("not a CGNS file based on HDF5, or damaged; adf2hdf converts older ones")
    check_hdf5(path)
    reader = vtk("vtkIOCGNSReader", "vtkCGNSReader")()
    reader.SetFileName(str(path))
    reader.LoadBndPatchOn()
    if hasattr(reader, "LoadSurfacePatchOn"):  # since VTK 9.4
        reader.LoadSurfacePatchOn()
    with complaints():
        reader.UpdateInformation()
    for what in ("Bases", "Families", "PointArrays", "CellArrays"):
        getattr(reader, f"EnableAll{what}")()
    return reader
