"""A mesh written back as VTK writes it, with arrays added."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from llt.data.formats.loaded import complaints, vtk
from llt.data.formats.mesh import Array, check_lengths
from llt.errors import DataError

WRITERS = {
    ".vtu": ("vtkIOXML", "vtkXMLUnstructuredGridWriter"),
    ".vtp": ("vtkIOXML", "vtkXMLPolyDataWriter"),
    ".vts": ("vtkIOXML", "vtkXMLStructuredGridWriter"),
    ".vtr": ("vtkIOXML", "vtkXMLRectilinearGridWriter"),
    ".vti": ("vtkIOXML", "vtkXMLImageDataWriter"),
    ".vtk": ("vtkIOLegacy", "vtkDataSetWriter"),
}


def save(
    data: Any,
    out: Path,
    suffix: str,
    point_fields: Mapping[str, Array],
    cell_fields: Mapping[str, Array],
) -> None:
    """Into a file of any name, as the suffix says."""
    if suffix == ".vtu" and not data.IsA("vtkUnstructuredGrid"):
        data = data.cast_to_unstructured_grid()
    check_lengths(point_fields, data.n_points, "points")
    check_lengths(cell_fields, data.n_cells, "cells")
    for arrays, fields in ((data.point_data, point_fields), (data.cell_data, cell_fields)):
        for name, value in fields.items():
            arrays[name] = np.ascontiguousarray(value)
    writer = vtk(*WRITERS[suffix])()
    writer.SetFileName(str(out))
    writer.SetInputData(data)
    if suffix == ".vtk":
        writer.SetFileTypeToBinary()
    else:
        writer.SetDataModeToAppended()
        writer.EncodeAppendedDataOff()
        writer.SetHeaderTypeToUInt64()
        writer.SetCompressionLevel(1)  # twice as fast as the default, hardly larger
    _write(writer)


def _write(writer: Any) -> None:
    try:
        with complaints():
            done = writer.Write()
    except DataError as error:
        raise OSError(str(error)) from None
    if not done:
        code = import_module("vtkmodules.vtkCommonCore").vtkErrorCode
        raise OSError(code.GetStringFromErrorCode(writer.GetErrorCode()))
