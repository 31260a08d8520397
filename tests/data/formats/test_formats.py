"""Every format: what is in a file is read from it, and its mesh is written back as it was."""

import os
import sys
import time

import numpy as np
import pytest

from llt.data.formats import (
    FORMATS,
    is_readable,
    process,
    read,
    suffix_for,
    times,
    write_like,
    write_series,
)
from llt.errors import ConfigError, DataError
from tests.data.formats.cases import CASES
from tests.test_package import loaded_by

pv = pytest.importorskip("pyvista")
pytest.importorskip("meshio")
TOLERANCE = {"vtk-text": 1e-6, "ensight": 1e-6, "openfoam": 1e-6}  # numbers as text


@pytest.fixture(params=CASES)
def case(request, tmp_path):
    return CASES[request.param](tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_a_reader_finds_what_is_there(name, tmp_path):
    case = CASES[name](tmp_path)
    assert is_readable(case.path) and times(case.path) == pytest.approx(case.times)
    mesh = read(case.path)
    close = {"rtol": TOLERANCE.get(name, 0), "atol": TOLERANCE.get(name, 0)}
    np.testing.assert_allclose(mesh.points, case.points, **close)
    assert mesh.points.dtype == np.float64
    for expected, found in (
        (case.point_fields, mesh.point_fields),
        (case.cell_fields, mesh.cell_fields),
    ):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            np.testing.assert_allclose(found[key], value, **close)
    if case.centers is None:
        assert mesh.centers is None
    else:
        np.testing.assert_allclose(mesh.centers, case.centers, rtol=1e-6, atol=1e-6)
    for expected, found in ((case.patches, mesh.patches), (case.cell_patches, mesh.cell_patches)):
        assert {key: [*np.flatnonzero(mask)] for key, mask in found.items()} == {
            key: [*indices] for key, indices in expected.items()
        }
    assert (mesh.grid, mesh.case_fields, mesh.units) == (case.grid, case.case_fields, case.units)
    assert not mesh.left_out


def test_a_state_at_a_time(tmp_path):
    for make in (CASES["vtkhdf-series"], CASES["ensight"], CASES["openfoam"]):
        case = make(tmp_path)
        first, last = read(case.path, case.times[0]), read(case.path, case.times[-1])
        fields = (first.point_fields or first.cell_fields, last.point_fields or last.cell_fields)
        assert np.abs(fields[0]["p"] - fields[1]["p"]).max() > 0.01
        np.testing.assert_array_equal(read(case.path).points, first.points)
        with pytest.raises(DataError, match="no time 77; times there: 2 from 0 to"):
            read(case.path, 77.0)


def test_what_is_written_is_the_mesh_with_new_arrays(case, tmp_path):
    mesh = read(case.path)
    out = tmp_path / f"out{suffix_for(case.path)}"
    new = {"p_pred": np.arange(len(mesh.points)) / 3, "U_pred": mesh.points.astype(np.float32)}
    cells = {} if mesh.centers is None else {"q_pred": mesh.centers[:, 0].copy()}
    write_like(case.path, out, point_fields=new, cell_fields=cells)
    after = read(out)
    np.testing.assert_array_equal(after.points, mesh.points)
    for found, expected in (
        (after.point_fields, {**mesh.point_fields, **new}),
        (after.cell_fields, {**mesh.cell_fields, **cells}),
    ):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            np.testing.assert_allclose(found[key], value, rtol=1e-8)
    if mesh.centers is not None:
        np.testing.assert_array_equal(after.centers, mesh.centers)
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("name", ["vtu", "vtp", "vts", "vti", "vtr", "vtk", "vtk-grid"])
def test_cells_stay_as_they_were(name, tmp_path):
    case = CASES[name](tmp_path)
    out = tmp_path / f"out{case.path.suffix}"
    write_like(case.path, out, point_fields={"p_pred": np.zeros(len(case.points))})
    before, after = pv.read(case.path), pv.read(out)
    assert type(after) is type(before) and after.points.dtype == before.points.dtype
    if isinstance(before, pv.UnstructuredGrid):
        np.testing.assert_array_equal(after.cells, before.cells)
        np.testing.assert_array_equal(after.celltypes, before.celltypes)
    elif isinstance(before, pv.PolyData):
        np.testing.assert_array_equal(after.faces, before.faces)
    else:
        assert after.dimensions == before.dimensions
    assert after.field_data["mach"] == [0.3]
    for key in before.point_data:
        assert after.point_data[key].dtype == before.point_data[key].dtype


def test_arrays_of_another_length_and_suffixes_are_refused(tmp_path):
    case = CASES["vtu"](tmp_path)
    with pytest.raises(DataError, match=r"case.vtu: q of shape \(3,\), there are 13 points"):
        write_like(case.path, tmp_path / "out.vtu", point_fields={"q": np.zeros(3)})
    with pytest.raises(ConfigError, match=r"is a .vtu file; name it out.vtu"):
        write_like(case.path, tmp_path / "out.vtk", point_fields={})
    assert [path.name for path in tmp_path.iterdir()] == ["case.vtu"]


def test_a_foam_file_is_its_folder(tmp_path):
    case = CASES["openfoam"](tmp_path)
    mesh = read(case.path / "case.foam")
    np.testing.assert_array_equal(mesh.cell_fields["p"], read(case.path).cell_fields["p"])
    assert is_readable(case.path) and not is_readable(case.path.parent)
    with pytest.raises(DataError, match="a folder without system/controlDict"):
        read(case.path.parent)


def test_unknown_suffixes_name_the_known_ones(tmp_path):
    (tmp_path / "case.xyz").touch()
    with pytest.raises(DataError, match=r"unknown suffix '.xyz'; known are .vtu, .vtp"):
        read(tmp_path / "case.xyz")
    with pytest.raises(DataError, match="no such file"):
        read(tmp_path / "case.vtu")
    assert not is_readable(tmp_path / "case.vtu") and set(FORMATS) > {".vtu", ".foam", ".csv"}


@pytest.mark.parametrize(("name", "library"), [("vtu", "pyvista"), ("gmsh-4", "meshio")])
def test_without_the_extra_one_line_says_what_to_install(tmp_path, monkeypatch, name, library):
    case = CASES[name](tmp_path)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ConfigError, match=rf'with {library}, .* pip install "llt\[cae\]"$'):
        read(case.path)


def test_a_file_that_hangs_or_crashes_is_one_line(tmp_path, monkeypatch):
    case = CASES["vtu"](tmp_path)
    monkeypatch.setattr(process, "SECONDS", 1.0)
    with pytest.raises(DataError, match=r"case.vtu: damaged; .* took more than 1 s"):
        process.call(case.path, time.sleep, 60.0)
    with pytest.raises(DataError, match=r"case.vtu: damaged; the library that reads it crashed"):
        process.call(case.path, os.abort)
    monkeypatch.undo()
    np.testing.assert_array_equal(read(case.path).points, case.points)


def test_nothing_heavy_is_loaded_before_it_is_needed():
    assert not loaded_by("import llt.data.formats.work") & {"torch", "pyvista", "meshio", "scipy"}


def test_a_series_for_paraview(tmp_path):
    case = CASES["vtu"](tmp_path)
    steps = [(t, {"p_pred": np.full(13, t)}, {"c": np.full(3, -t)}) for t in (0.0, 0.1, 0.5)]
    write_series(case.path, tmp_path / "out.pvd", iter(steps))
    reader = pv.get_reader(tmp_path / "out.pvd")
    assert reader.time_values == [0.0, 0.1, 0.5]
    for t in reader.time_values:
        reader.set_active_time_value(t)
        (found,) = reader.read()
        np.testing.assert_array_equal(found.points, case.points)
        assert (found.point_data["p_pred"] == t).all() and (found.cell_data["c"] == -t).all()
        np.testing.assert_array_equal(found.point_data["p"], case.point_fields["p"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["case.vtu", "out", "out.pvd"]


def test_a_series_of_a_source_in_time_has_the_state_of_each(tmp_path):
    case = CASES["openfoam"](tmp_path)
    steps = [(t, {}, {"p_pred": np.full(2, t)}) for t in case.times]
    write_series(case.path, tmp_path / "out.pvd", steps)
    for number, t in enumerate(case.times):
        found = read(tmp_path / "out" / f"{number:04d}.vtu")
        np.testing.assert_array_equal(found.cell_fields["p"], read(case.path, t).cell_fields["p"])
        assert (found.cell_fields["p_pred"] == t).all()


def test_a_series_goes_on_after_the_last_state_of_its_source(tmp_path):
    case = CASES["openfoam"](tmp_path)
    steps = [(t, {}, {"p_pred": np.full(2, t)}) for t in (*case.times, 20.0)]
    write_series(case.path, tmp_path / "out.pvd", steps)
    found, last = read(tmp_path / "out" / "0002.vtu"), read(case.path)
    assert (found.cell_fields["p_pred"] == 20).all()
    np.testing.assert_array_equal(found.cell_fields["p"], last.cell_fields["p"])


def test_a_series_of_arrays_is_one_file(tmp_path):
    case = CASES["npz"](tmp_path)
    steps = [(t, {"p_pred": np.full(7, t)}, {}) for t in (0.0, 0.5)]
    write_series(case.path, tmp_path / "out.npz", steps)
    assert times(tmp_path / "out.npz") == (0.0, 0.5)
    assert (read(tmp_path / "out.npz", 0.5).point_fields["p_pred"] == 0.5).all()
    with pytest.raises(ConfigError, match=r"is a .npz file; name it out.npz"):
        write_series(case.path, tmp_path / "out.pvd", steps)


@pytest.mark.parametrize("name", ["npz", "csv"])
def test_files_without_cells_take_no_values_for_cells(tmp_path, name):
    case = CASES[name](tmp_path)
    out = tmp_path / f"out{case.path.suffix}"
    with pytest.raises(DataError, match="has no cells, but values for them: q"):
        write_like(case.path, out, cell_fields={"q": np.zeros(7)})
    with pytest.raises(DataError, match=r"p_pred of shape \(6,\), there are 7 points"):
        write_like(case.path, out, point_fields={"p_pred": np.zeros(6)})
    assert not out.exists()
