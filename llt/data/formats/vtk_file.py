"""Files of VTK, and STL."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import h5py

from llt.data.contents import objects
from llt.data.formats.blocks import one_mesh
from llt.data.formats.loaded import Loaded, times_of, update, vtk
from llt.data.formats.mesh import time_index
from llt.errors import DataError

READERS = {
    ".vtu": ("vtkIOXML", "vtkXMLUnstructuredGridReader"),
    ".vtp": ("vtkIOXML", "vtkXMLPolyDataReader"),
    ".vts": ("vtkIOXML", "vtkXMLStructuredGridReader"),
    ".vtr": ("vtkIOXML", "vtkXMLRectilinearGridReader"),
    ".vti": ("vtkIOXML", "vtkXMLImageDataReader"),
    ".vtkhdf": ("vtkIOHDF", "vtkHDFReader"),
    ".stl": ("vtkIOGeometry", "vtkSTLReader"),
}
TIME = "Time"
HEAD = 1024  # bytes in which a legacy file says whether it is text
# a legacy file of text that ends within numbers is read as if it did not, with numbers made up;
# with a word after it the reader sees a word where it expects a number, and complains
END = b"\nMETADATA\nINFORMATION 0\n\n"


def read_times(path: Path) -> tuple[float, ...]:
    return times_of(_open(path)) if path.suffix.lower() == ".vtkhdf" else ()


def load(path: Path, time: float | None) -> Loaded:
    if path.suffix.lower() == ".vtk":
        return one_mesh(_load_legacy(path))
    reader = _open(path)
    times = read_times(path)
    if not times and time is None:
        return one_mesh(update(reader))
    found = one_mesh(update(reader, times[time_index(times, time)]))
    if TIME in found.data.field_data:  # the reader's own; no number of the case
        found.data.field_data.remove(TIME)
    return found


def check_hdf5(path: Path) -> None:
    """Refuse links to other files."""
    if not h5py.is_hdf5(path):
        raise DataError("not an HDF5 file or damaged")
    with h5py.File(path, "r") as file:
        for _ in objects(file):
            pass


def _open(path: Path) -> Any:
    if path.suffix.lower() == ".vtkhdf":
        check_hdf5(path)
    reader = vtk(*READERS[path.suffix.lower()])()
    reader.SetFileName(str(path))
    return reader


def _load_legacy(path: Path) -> Any:
    content = path.read_bytes()
    if b"ASCII" in content[:HEAD].upper().split():
        content += END
    reader = vtk("vtkIOLegacy", "vtkDataSetReader")()
    reader.ReadFromInputStringOn()
    reader.SetInputString(content, len(content))
    for kind in ("Scalars", "Vectors", "Normals", "Tensors", "ColorScalars", "TCoords", "Fields"):
        getattr(reader, f"ReadAll{kind}On")()
    data = update(reader)
    if data is None:
        raise DataError("not a legacy VTK file of a mesh, or a damaged one")
    return import_module("pyvista").wrap(data)
