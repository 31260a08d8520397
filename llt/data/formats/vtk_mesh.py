"""From a dataset of VTK to a `Mesh`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from llt.data.contents import REAL
from llt.data.formats.loaded import Loaded, complaints, vtk
from llt.data.formats.mesh import Array, Mesh, check_points
from llt.data.formats.vtk_faces import cell_patches
from llt.errors import DataError

STRUCTURED = ("vtkStructuredGrid", "vtkRectilinearGrid", "vtkImageData")
OWN = ("vtkGhostType", "vtkOriginalPointIds", "vtkOriginalCellIds")  # bookkeeping of VTK
OWN_NUMBERS = ("ispatch", "issurface")  # and of its reader of CGNS


def to_mesh(loaded: Loaded) -> Mesh:
    data = loaded.data
    points = check_points(np.asarray(data.points))
    _check_cells(data)
    left_out = dict(loaded.left_out)
    fields = dict(_fields(data.point_data, data.n_points, left_out))
    cell_fields = dict(_fields(data.cell_data, data.n_cells, left_out))
    return Mesh(
        points=points,
        point_fields=fields,
        cell_fields=cell_fields,
        centers=_centers(data) if data.n_cells else None,
        grid=_grid(data),
        patches=loaded.patches,
        cell_patches=cell_patches(loaded),
        case_fields=dict(_numbers(data)),
        units=dict(_units(data)) | dict(loaded.units),
        left_out=left_out,
    )


def _fields(arrays: Any, num: int, left_out: dict[str, str]) -> Iterator[tuple[str, Array]]:
    for name in arrays.keys():  # noqa: SIM118, pyvista's own
        value = np.asarray(arrays[name])
        if name in OWN:
            left_out[name] = "bookkeeping of VTK"
        elif value.dtype.kind not in REAL:
            left_out[name] = f"values of type {value.dtype}, not numbers"
        elif value.ndim > 2 or len(value) != num:
            left_out[name] = f"shape {value.shape} where there are {num}"
        else:
            yield name, value


def _numbers(data: Any) -> Iterator[tuple[str, float]]:
    for name in data.field_data.keys():  # noqa: SIM118
        value = np.asarray(data.field_data[name])
        if name not in OWN_NUMBERS and value.size == 1 and value.dtype.kind in REAL:
            yield name, float(value.reshape(()))


def _units(data: Any) -> Iterator[tuple[str, str]]:
    key = vtk("vtkCommonCore", "vtkDataArray").UNITS_LABEL()
    for arrays in (data.GetPointData(), data.GetCellData()):
        for i in range(arrays.GetNumberOfArrays()):
            array = arrays.GetAbstractArray(i)
            if array.HasInformation() and (unit := array.GetInformation().Get(key)):
                yield array.GetName(), unit


def _grid(data: Any) -> tuple[int, ...] | None:
    """VTK counts along x first, so its first axis is our last."""
    if not any(map(data.IsA, STRUCTURED)):
        return None
    shape = tuple(int(n) for n in reversed(data.dimensions) if n > 1)
    return shape if len(shape) > 1 else None


def _centers(data: Any) -> Array:
    with complaints():
        centers = np.asarray(data.cell_centers().points, np.float64)
    if len(centers) != data.n_cells:
        raise DataError(f"{data.n_cells} cells, of which {data.n_cells - len(centers)} are empty")
    return centers


def _check_cells(data: Any) -> None:
    """Corners must be points of the mesh: VTK believes what the file says."""
    if data.IsA("vtkUnstructuredGrid"):
        cells = [data.GetCells()]
    elif data.IsA("vtkPolyData"):
        cells = [data.GetVerts(), data.GetLines(), data.GetPolys(), data.GetStrips()]
    else:
        return
    numpy = vtk("util.numpy_support", "vtk_to_numpy")
    for some in filter(None, cells):
        corners, offsets = numpy(some.GetConnectivityArray()), numpy(some.GetOffsetsArray())
        if corners.size and not 0 <= corners.min() <= corners.max() < data.n_points:
            raise DataError(
                f"cells have corners {corners.min()} to {corners.max()}, "
                f"there are {data.n_points} points"
            )
        ends = chain(offsets[:1], len(corners) - offsets[-1:])
        if any(ends) or (np.diff(offsets) < 0).any():
            raise DataError("cells begin and end where there are no corners")
