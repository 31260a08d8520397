"""Files of simulation programs: their arrays as parts of fields, their cells as triangles."""

import numpy as np
import pytest

from llt.data.formats import write_series
from llt.errors import DataError
from llt.view.opening import open_scene
from llt.view.parts import parts_of, vectors_of
from tests.view.asking import ask, get

pyvista = pytest.importorskip("pyvista")


def saved(path, mesh, **arrays):
    for name, values in arrays.items():
        mesh.point_data[name] = values
    mesh.save(path)
    return path


def volume():
    return pyvista.ImageData(dimensions=(5, 4, 3)).cast_to_unstructured_grid()


def test_arrays_with_the_suffixes_of_predict_are_parts_of_one_field():
    p = np.arange(3.0)
    found = parts_of({"p": p, "p_pred": p + 1, "p_bar": p, "q_error": p, "T_pred": p, "_pred": p})
    assert {name: {*parts} for name, parts in found.items()} == {
        "p": {"truth", "prediction", "bar", "error"},
        "q_error": {"truth"},
        "T": {"prediction"},
        "_pred": {"truth"},
    }
    np.testing.assert_array_equal(found["p"]["error"], 1)


def test_vectors_have_their_components_in_every_part():
    u = np.arange(6.0).reshape(2, 3)
    arrays = {"U": u, "U_pred": 2 * u, "S": np.ones((2, 6))}
    found = parts_of(arrays)
    assert [*found] == ["U_x", "U_y", "U_z", *(f"S_{i}" for i in range(6))]
    np.testing.assert_array_equal(found["U_y"]["error"], [1, 4])
    assert vectors_of(arrays) == {"U": ["U_x", "U_y", "U_z"]}


def test_a_prediction_is_shown_beside_the_truth_with_the_boundary_of_its_volume(tmp_path):
    mesh = volume()
    p = np.sin(mesh.points[:, 0])
    mesh.cell_data["k"] = np.arange(mesh.n_cells, dtype=float)
    path = saved(tmp_path / "out.vtu", mesh, p=p, p_pred=p + 0.1, p_bar=np.full(len(p), 0.2))
    scene = open_scene(path)
    about = get(scene, "/api/about")
    fields = {field["name"]: field["parts"] for field in about["fields"]}
    assert fields == {"p": ["truth", "prediction", "error", "bar"], "k": ["truth"]}
    meta, drawn = get(scene, "/api/cases/0/mesh")
    assert meta["dim"] == 3
    # the six sides of 4 x 3 x 2 cells, two triangles for each face
    assert len(drawn["triangles"]) == 2 * 2 * (4 * 3 + 3 * 2 + 4 * 2)
    at = drawn["points"][drawn["triangles"]]
    on_side = [(at[..., k] == end).all(1) for k in range(3) for end in (0, (4, 3, 2)[k])]
    assert np.any(on_side, axis=0).all()
    a, b = at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]
    assert np.linalg.norm(np.cross(a, b), axis=1).sum() / 2 == pytest.approx(52)
    meta, arrays = get(scene, "/api/cases/0/fields")
    np.testing.assert_allclose(arrays["p/error"], 0.1, atol=1e-6)
    assert arrays["p/bar"].shape == p.shape
    assert meta["errors"]["p"] == pytest.approx(0.1 * len(p) ** 0.5 / np.linalg.norm(p))
    # at the first corner is the first cell alone
    assert arrays["k/truth"][0] == 0
    assert arrays["k/truth"].max() == mesh.n_cells - 1


def test_a_flat_mesh_is_one_of_the_plane_with_its_hole(tmp_path):
    mesh = pyvista.Disc(inner=0.5, outer=1, r_res=3, c_res=24).triangulate()
    scene = open_scene(saved(tmp_path / "ring.vtp", mesh, T=mesh.points[:, 0]))
    meta, drawn = get(scene, "/api/cases/0/mesh")
    assert meta["dim"] == 2
    assert len(drawn["triangles"]) == mesh.n_cells
    radius = np.linalg.norm(drawn["points"][drawn["lines"]], axis=-1)
    assert {*radius.round(3).ravel().tolist()} == {0.5, 1.0}


def test_a_mesh_without_cells_is_drawn_as_points(tmp_path):
    points = np.random.default_rng(0).random((50, 3))
    mesh = pyvista.UnstructuredGrid(np.array([], int), np.array([], np.uint8), points)
    scene = open_scene(saved(tmp_path / "cloud.vtu", mesh, q=np.arange(50.0)))
    _, drawn = get(scene, "/api/cases/0/mesh")
    assert {*drawn} == {"points"}
    assert get(scene, "/api/cases/0/fields")[1]["q/truth"].max() == 49


def test_a_mesh_without_arrays_is_drawn_all_the_same(tmp_path):
    path = tmp_path / "bare.vtp"
    mesh = pyvista.Sphere()
    mesh.clear_data()
    mesh.save(path)
    scene = open_scene(path)
    assert get(scene, "/api/about")["fields"] == []
    assert get(scene, "/api/cases/0/fields")[1] == {}
    assert len(get(scene, "/api/cases/0/mesh")[1]["triangles"]) == mesh.n_cells


def test_arrays_with_times_have_a_state_for_each(tmp_path):
    times, x = np.linspace(0, 1, 4), np.random.default_rng(0).random((30, 2))
    h = np.sin(x[:, 0] + times[:, None])
    np.savez(tmp_path / "h.npz", points=x, times=times, h=h)
    scene = open_scene(tmp_path / "h.npz")
    assert get(scene, "/api/about")["times"] == pytest.approx(times)
    for moment in (0, 2):
        meta, arrays = get(scene, f"/api/cases/0/fields?time={moment}")
        assert meta["time"] == pytest.approx(times[moment])
        np.testing.assert_allclose(arrays["h/truth"], h[moment], rtol=1e-6)
    for wrong in ("4", "-1", "x"):
        assert ask(scene, f"/api/cases/0/fields?time={wrong}").status_code == 400


def test_a_folder_of_files_is_a_case_for_each(tmp_path):
    for number in range(3):
        mesh = volume()
        saved(tmp_path / f"c{number}.vtu", mesh, p=np.full(mesh.n_points, float(number)))
    (tmp_path / "notes.txt").touch()
    scene = open_scene(tmp_path)
    rows = get(scene, "/api/cases")["cases"]
    assert [row["label"] for row in rows] == ["c0.vtu", "c1.vtu", "c2.vtu"]
    assert get(scene, "/api/cases/2/fields")[1]["p/truth"].max() == 2
    assert ask(scene, "/api/cases/3/mesh").status_code == 400
    (tmp_path / "c1.vtu").write_text("damaged")
    response = ask(scene, "/api/cases/1/mesh")
    assert (response.status_code, "c1.vtu" in response.json()["error"]) == (500, True)
    (tmp_path / "c1.vtu").unlink()
    assert "c1.vtu" in ask(scene, "/api/cases/1/mesh").json()["error"]
    get(scene, "/api/cases/0/mesh")


def listed(*entries):
    lines = [f'<DataSet timestep="{time}" file="{file}"/>' for time, file in entries]
    return "<VTKFile><Collection>" + "".join(lines) + "</Collection></VTKFile>"


def test_a_time_series_as_predict_writes_it_has_its_times(tmp_path):
    mesh = volume()
    saved(tmp_path / "case.vtu", mesh)
    p = np.arange(mesh.n_points, dtype=float)
    steps = ((t, {"p": t * p, "p_pred": t * p + 1}, {}) for t in (0.5, 1.0, 2.0))
    write_series(tmp_path / "case.vtu", tmp_path / "out.pvd", steps)
    scene = open_scene(tmp_path / "out.pvd")
    about = get(scene, "/api/about")
    assert about["times"] == [0.5, 1.0, 2.0]
    assert about["fields"][0]["parts"] == ["truth", "prediction", "error"]
    meta, arrays = get(scene, "/api/cases/0/fields?time=1")
    assert meta["time"] == 1.0
    np.testing.assert_allclose(arrays["p/truth"], p)
    assert get(scene, "/api/cases/0/fields")[0]["time"] == 2.0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (listed((0, "../secret.vtu")), "outside of the folder"),
        (listed((0, "/etc/passwd")), "outside of the folder"),
        (listed((0, "none.vtu")), "no such file"),
        (listed(("soon", "a.vtu")), "timestep 'soon'"),
        (listed(("nan", "a.vtu")), "timestep 'nan'"),
        (listed(), "names no files"),
        ("<VTKFile>", "damaged"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + listed((0, "&a;")), "declares entities"),
    ],
)
def test_a_list_of_files_leads_nowhere_else(tmp_path, content, said):
    folder = tmp_path / "folder"
    folder.mkdir()
    saved(tmp_path / "secret.vtu", volume())
    (folder / "out.pvd").write_text(content)
    with pytest.raises(DataError, match=said) as refused:
        open_scene(folder / "out.pvd")
    assert str(refused.value).startswith(str(folder / "out.pvd"))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["none.vtu", "notes.txt", "empty"])
def test_what_cannot_be_shown_is_refused_in_one_line(tmp_path, name):
    (tmp_path / "notes.txt").touch()
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=name) as refused:
        open_scene(tmp_path / name)
    assert "\n" not in str(refused.value)
