"""Meshes of VTK: cells and patches stay, integrals over them, surfaces, time steps."""

import json
from copy import copy

import numpy as np
import pytest

from llt.cli import main
from llt.cli.own_mesh import on_own_mesh
from llt.errors import ConfigError, DataError
from llt.own_mesh.predict import Options, predict_files
from llt.surrogate import Surrogate
from llt.trust import Trust
from llt.trust.distance import Distance
from tests.own_mesh.made import surrogate_of

pyvista = pytest.importorskip("pyvista")


def plane(i=0, n=6):
    """Triangles and quads in the plane x, z: a scalar p and a vector U there, q at cells."""
    x, z = np.meshgrid(np.linspace(0, 2, n + i), np.linspace(0, 1, n))
    points = np.stack([x.ravel(), 0 * x.ravel(), z.ravel()], -1)
    corner = np.arange(n * (n + i)).reshape(n, n + i)
    quads = np.stack([corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]], -1)
    first, rest = quads.reshape(-1, 4)[:3], quads.reshape(-1, 4)[3:]
    cells = {
        pyvista.CellType.TRIANGLE: np.concatenate([first[:, :3], first[:, [0, 2, 3]]]),
        pyvista.CellType.QUAD: rest,
    }
    mesh = pyvista.UnstructuredGrid(cells, points)
    mesh.point_data["p"] = points[:, 0] + i
    mesh.point_data["U"] = np.stack([points[:, 2], 0 * points[:, 0], points[:, 0]], -1)
    mesh.point_data["right"] = (points[:, 0] > 2 - 1e-9).astype(np.int32)
    mesh.cell_data["q"] = np.arange(mesh.n_cells, dtype=float)
    return mesh


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    cases = tmp_path_factory.mktemp("vtk") / "cases"
    cases.mkdir()
    for i in range(4):
        plane(i).save(cases / f"c{i}.vtu")
    return cases


@pytest.fixture(scope="module")
def surrogate(folder):
    return surrogate_of(folder, outputs=("p", "U"))


def test_the_users_own_mesh_comes_back(surrogate, folder, tmp_path):
    predict_files(surrogate, folder / "c1.vtu", tmp_path / "out.vtu")
    own, found = (pyvista.read(path) for path in (folder / "c1.vtu", tmp_path / "out.vtu"))
    np.testing.assert_array_equal(found.points, own.points)
    np.testing.assert_array_equal(found.cells, own.cells)
    np.testing.assert_array_equal(found.celltypes, own.celltypes)
    for name in own.array_names:
        np.testing.assert_array_equal(found[name], own[name])
    assert {*found.array_names} - {*own.array_names} == {"p_pred", "p_error", "U_pred", "U_error"}
    u = surrogate.predict(own.points[:, [0, 2]], {})
    U = np.stack([u["U_x"], 0 * u["U_x"], u["U_y"]], -1)
    np.testing.assert_allclose(found["U_pred"], U, rtol=1e-5)
    np.testing.assert_allclose(found["p_error"], u["p"] - own["p"], atol=1e-5)


def test_cell_data(folder, tmp_path):
    surrogate = surrogate_of(folder, outputs=("q",), name="cells")
    assert surrogate.files.location == "cells"
    predict_files(surrogate, folder / "c0.vtu", tmp_path / "out.vtu")
    found = pyvista.read(tmp_path / "out.vtu")
    centers = found.cell_centers().points[:, [0, 2]]
    u = surrogate.predict(centers, {})["q"]
    np.testing.assert_allclose(found.cell_data["q_pred"], u, rtol=1e-4)
    assert "q_pred" not in found.point_data


def test_fields_at_the_other_of_points_and_cells(folder, tmp_path):
    other = plane().point_data_to_cell_data()
    other.save(tmp_path / "new.vtu")
    surrogate = surrogate_of(folder, outputs=("U",), inputs=("p",), name="other")
    with pytest.raises(DataError, match=r"new.vtu: .*'p'.*; it is at the other of points and cel"):
        predict_files(surrogate, tmp_path / "new.vtu", tmp_path / "out.vtu")
    surrogate = surrogate_of(folder, outputs=("p",), name="alone")
    done, _ = predict_files(surrogate, tmp_path / "new.vtu", tmp_path / "out.vtu")
    assert "p is not at points" in done[0].warnings[0] and not done[0].errors


def test_integrals_of_predictions_and_of_the_truth(surrogate, folder, tmp_path):
    asked = ["mean:p", "mean:p:right", "force:p:right", "flux:U:right", "mean:U"]
    done, _ = predict_files(
        surrogate, folder / "c0.vtu", tmp_path / "out.vtu", Options(integrate=asked)
    )
    found = done[0].integrals
    known = {name: values["known"] for name, values in found.items()}
    assert known["mean:p"] == pytest.approx(1.0, rel=1e-6)
    assert known["mean:p:right"] == pytest.approx(2.0, rel=1e-6)
    assert known["force:p:right"] == pytest.approx({"x": 2.0, "z": 0.0}, rel=1e-6)
    assert known["flux:U:right"] == pytest.approx(0.5, rel=1e-6)
    assert known["mean:U"] == pytest.approx({"x": 0.5, "y": 0, "z": 1.0}, rel=1e-6)
    out = pyvista.read(tmp_path / "out.vtu")
    p = np.interp([0, 0.2, 0.4, 0.6, 0.8, 1], np.linspace(0, 1, 6), out["p_pred"][5::6])
    assert found["force:p:right"]["predicted"]["x"] == pytest.approx(np.trapezoid(p, dx=0.2))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("sum:p", "expected KIND:FIELD or KIND:FIELD:PATCH"),
        ("mean", "expected KIND:FIELD"),
        ("mean:T", "unknown output 'T'"),
        ("force:U", "U is a vector"),
        ("flux:p", "p is none"),
        ("force:p:left", "c0.vtu: .*unknown patch 'left'; choose from .*right"),
    ],
)
def test_integrals_that_cannot_be(surrogate, folder, tmp_path, asked, message):
    with pytest.raises((ConfigError, DataError), match=message):
        predict_files(
            surrogate, folder / "c0.vtu", tmp_path / "out.vtu", Options(integrate=[asked])
        )
    assert not (tmp_path / "out.vtu").exists()


def test_a_surface_from_an_stl_file(tmp_path):
    (tmp_path / "cases").mkdir()
    for i in range(4):
        body = pyvista.Sphere(radius=1 + 0.1 * i, theta_resolution=12, phi_resolution=12)
        body.clear_data()
        body.point_data["p"] = body.points[:, 2]
        body.save(tmp_path / "cases" / f"c{i}.vtp")
    surrogate = surrogate_of(tmp_path / "cases")
    body.clear_data()
    body.save(tmp_path / "new.stl")
    done, _ = predict_files(
        surrogate, tmp_path / "new.stl", tmp_path / "out.vtp", Options(integrate=["force:p"])
    )
    found = pyvista.read(tmp_path / "out.vtp")
    assert found.n_cells == body.n_cells and found.n_points == body.n_points
    u = surrogate.predict(found.points, {})["p"]
    np.testing.assert_allclose(found.point_data["p_pred"], u, rtol=1e-4, atol=1e-5)
    assert {*done[0].integrals["force:p"]["predicted"]} == {"x", "y", "z"}
    # what a pressure that grows upward does to a body: it pushes it down
    done, _ = predict_files(
        surrogate,
        tmp_path / "cases" / "c0.vtp",
        tmp_path / "known.vtp",
        Options(integrate=["force:p"]),
    )
    force = done[0].integrals["force:p"]["known"]
    assert -4 / 3 * np.pi < force["z"] < -0.85 * 4 / 3 * np.pi and abs(force["x"]) < 1e-6


def test_time_steps_become_a_series_for_paraview(tmp_path):
    for i in range(4):
        (tmp_path / "cases" / f"c{i}").mkdir(parents=True)
        for step in range(3):
            mesh = plane(i)
            mesh.point_data["p"] = mesh.point_data["p"] * (1 + step)
            mesh.save(tmp_path / "cases" / f"c{i}" / f"s_{step}.vtu")
    surrogate = surrogate_of(tmp_path / "cases", outputs=("p",), time="all")
    done, bad = predict_files(
        surrogate, tmp_path / "cases", tmp_path / "out", Options(integrate=["mean:p"])
    )
    assert not bad and len(done) == 4
    reader = pyvista.PVDReader(tmp_path / "out" / "c2.pvd")
    assert reader.time_values == [0, 1, 2]
    reader.set_active_time_value(2)
    found, own = reader.read()[0], pyvista.read(tmp_path / "cases" / "c2" / "s_2.vtu")
    np.testing.assert_array_equal(found["p"], own["p"])
    u = surrogate.predict(own.points[:, [0, 2]], {}, 2.0)["p"]
    np.testing.assert_allclose(found["p_error"], u - own["p"], atol=1e-4)
    assert done[2].integrals["mean:p"]["known"] == pytest.approx([3, 6, 9], rel=1e-6)
    at = Options(time=1 + 1e-9)
    _, bad = predict_files(surrogate, tmp_path / "cases", tmp_path / "at", at)
    assert not bad
    own = pyvista.read(tmp_path / "cases" / "c2" / "s_1.vtu")
    np.testing.assert_array_equal(pyvista.read(tmp_path / "at" / "c2.vtu")["p"], own["p"])


def test_the_command(surrogate, folder, tmp_path, capsys):
    surrogate.save(tmp_path / "run")
    words = ["predict", str(tmp_path / "run"), str(folder / "c0.vtu"), "--device", "cpu"]
    assert main([*words, "-o", str(tmp_path / "out.vtu"), "--integrate", "mean:p"]) == 0
    lines = capsys.readouterr().err
    assert "36 points; relative errors p " in lines
    assert "mean:p" in lines and "(in the file 1)" in lines and "neighbors 0." in lines
    assert main([*words, "-o", str(tmp_path / "b.vtu"), "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["cases"][0]["out"].endswith("b.vtu") and about["bad"] == {}
    assert main([*words, "-o", str(tmp_path / "c.vtu"), "--param", "speed=1"]) == 2
    assert "the model takes no parameters" in capsys.readouterr().err


def test_how_far_to_trust_a_case(surrogate, folder, tmp_path, monkeypatch, capsys):
    trusted = copy(surrogate)
    bars = {"p": 0.25, "U_x": 0.5, "U_y": 1.0}
    trusted.trust = Trust(cases=20, bars=bars, error=0.1)
    asked = []

    def distances(self, x, a):
        asked.append((x.shape, [*a]))
        return [Distance(1.5, "geometry")]

    monkeypatch.setattr(Surrogate, "distances", distances)
    for as_json in (False, True):
        out = tmp_path / f"{as_json}.vtu"
        on_own_mesh(trusted, folder / "c0.vtu", out, Options(), skip_bad=False, as_json=as_json)
    told = capsys.readouterr()
    assert "distance 1.50 (geometry); unfamiliar" in told.err
    about = json.loads(told.out)
    assert about["bars"] == bars
    assert about["cases"][0]["distance"] == {"value": 1.5, "group": "geometry"}
    assert asked[0] == ((36, 2), [])
    written = pyvista.read(tmp_path / "True.vtu")
    assert (written["p_bar"] == 0.25).all() and (written["U_bar"] == [0.5, 0, 1]).all()


def test_the_command_and_a_broken_file(surrogate, tmp_path, capsys):
    surrogate.save(tmp_path / "run")
    (tmp_path / "new").mkdir()
    plane(1).save(tmp_path / "new" / "good.vtu")
    (tmp_path / "new" / "bad.vtu").write_text("<VTKFile")
    words = ["predict", str(tmp_path / "run"), str(tmp_path / "new"), "--device", "cpu"]
    assert main([*words, "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "1 of 2 cases cannot be predicted" in error and "bad.vtu" in error
    assert (tmp_path / "out" / "good.vtu").is_file()
    assert main([*words, "-o", str(tmp_path / "again"), "--skip-bad"]) == 0
    assert "warning: 1 of 2 cases cannot be predicted" in capsys.readouterr().err
