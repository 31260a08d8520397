"""What becomes of a dataset of VTK."""

import numpy as np
import pytest

from llt.data.formats import read
from llt.data.formats.loaded import Loaded
from llt.data.formats.vtk_mesh import to_mesh
from llt.errors import DataError
from tests.data.formats.cases import mixed_cells, surface

pv = pytest.importorskip("pyvista")


def test_units_of_arrays(tmp_path):
    mesh = mixed_cells()
    array = mesh.GetPointData().GetAbstractArray("p")
    array.GetInformation().Set(array.UNITS_LABEL(), "Pa")
    mesh.save(tmp_path / "case.vtu")
    assert read(tmp_path / "case.vtu").units == {"p": "Pa"}


def test_texts_and_bookkeeping_are_left_out():
    mesh = surface()
    mesh.point_data["name"] = [*"abcdef"]
    mesh.point_data["vtkOriginalPointIds"] = np.arange(6)
    mesh.field_data["note"] = ["some words"]
    found = to_mesh(Loaded(mesh))
    assert found.point_fields.keys() == {"p", "U"} and found.case_fields == {"mach": 0.3}
    assert found.left_out.keys() == {"name", "vtkOriginalPointIds"}


@pytest.mark.parametrize("make", [mixed_cells, surface])
def test_corners_are_points_of_the_mesh(make):
    mesh = make()
    cells = mesh.GetCells() if isinstance(mesh, pv.UnstructuredGrid) else mesh.GetPolys()
    cells.GetConnectivityArray().SetTuple1(1, 999)
    with pytest.raises(DataError, match=r"cells have corners 0 to 999, there are \d+ points"):
        to_mesh(Loaded(mesh))


def test_cells_begin_where_there_are_corners():
    mesh = mixed_cells()
    mesh.GetCells().GetOffsetsArray().SetTuple1(3, 99)
    with pytest.raises(DataError, match="cells begin and end where there are no corners"):
        to_mesh(Loaded(mesh))


def test_points_are_finite():
    mesh = surface()
    mesh.points[2, 1] = np.nan
    with pytest.raises(DataError, match="points have NaN or infinity at 1, first 2"):
        to_mesh(Loaded(mesh))
