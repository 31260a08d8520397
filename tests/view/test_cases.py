"""Cases over HTTP: runs, datasets, times, masks, ragged meshes; questions that make no sense."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import llt
from llt.data import dataset_file
from llt.evaluation.kept import keep_evaluation
from llt.view.opening import open_scene
from tests.conftest import darcy_like, ragged
from tests.data.kinds import KINDS, cars, timed
from tests.view.asking import ask, get, make_run, wait_for


@pytest.fixture(scope="module")
def darcy(tmp_path_factory):
    run = make_run(tmp_path_factory.mktemp("darcy"), darcy_like())
    scene = open_scene(run)
    yield run, scene
    scene.close()


@pytest.fixture
def opened():
    """Opens scenes, and closes them at the end."""
    scenes = []

    def open_(*args, **kwargs):
        scenes.append(open_scene(*args, **kwargs))
        return scenes[-1]

    yield open_
    for scene in scenes:
        scene.close()


def all_cases(scene, split="test"):
    path = f"/api/cases?split={split}"
    return wait_for(lambda: get(scene, path), lambda found: found["pending"] == 0)["cases"]


def test_cases_of_a_run_come_worst_first_with_the_errors_of_its_evaluation(darcy):
    run, scene = darcy
    rows = all_cases(scene)
    found = llt.evaluate(run)
    assert [row["id"] for row in rows] == [found.indices[place] for place in found.worst_first]
    errors = dict(zip(found.indices, found.per_sample, strict=True))
    for row in rows:
        assert row["error"] == pytest.approx(errors[row["id"]], rel=1e-5)
        assert row["errors"]["pressure"] == pytest.approx(errors[row["id"]], rel=1e-5)
        assert row["points"] == 81


def test_what_an_evaluation_has_kept_is_not_computed_again(darcy, opened, monkeypatch):
    run, _ = darcy
    evaluation = llt.evaluate(run)
    keep_evaluation(run, replace(evaluation, per_sample=[0.25, 0.5]))
    monkeypatch.setattr("llt.view.scores.score", None)
    rows = get(opened(run), "/api/cases")
    (run / "evaluation.json").unlink()
    assert rows["pending"] == 0
    assert [row["error"] for row in rows["cases"]] == [0.5, 0.25]


def test_another_split_is_shown_when_it_is_asked_for(darcy):
    _, scene = darcy
    about = get(scene, "/api/about")
    assert about["splits"] == ["train", "val", "test"]
    assert [row["id"] for row in get(scene, "/api/cases?split=val")["cases"]] == [8, 9]
    get(scene, "/api/cases/9/fields?split=val")


def test_fields_are_truth_prediction_and_their_difference(darcy):
    run, scene = darcy
    meta, arrays = get(scene, "/api/cases/11/fields")
    data, surrogate = dataset_file.read(run.parent / "set.h5"), llt.load(run)
    sample = data.sample(11)
    x, a = sample.points.reshape(9, 9, 2), sample.inputs.reshape(9, 9)
    u = surrogate.predict(x, {"permeability": a})["pressure"].reshape(-1)
    np.testing.assert_array_equal(arrays["pressure/truth"], sample.outputs[:, 0])
    np.testing.assert_array_equal(arrays["permeability/truth"], sample.inputs[:, 0])
    np.testing.assert_allclose(arrays["pressure/prediction"], u, rtol=1e-5)
    np.testing.assert_array_equal(
        arrays["pressure/error"], arrays["pressure/prediction"] - arrays["pressure/truth"]
    )
    rows = {row["id"]: row for row in all_cases(scene)}
    assert meta["errors"]["pressure"] == pytest.approx(rows[11]["error"], rel=1e-4)
    assert meta["seconds"]["predict"] > 0


def test_a_grid_is_drawn_as_two_triangles_a_cell_and_its_boundary(darcy):
    _, scene = darcy
    meta, arrays = get(scene, "/api/cases/10/mesh")
    assert arrays["points"].shape == (81, 3)
    assert arrays["triangles"].shape == (128, 3)
    corners = arrays["points"][arrays["triangles"]][..., :2]
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2
    np.testing.assert_allclose(areas, (1 / 9) ** 2 / 2, rtol=1e-5)
    assert len(arrays["lines"]) == 32
    assert meta["dim"] == 2
    np.testing.assert_allclose(meta["bounds"], [[1 / 18] * 2, [17 / 18] * 2], rtol=1e-6)


def test_a_dataset_alone_has_the_truth_alone(darcy):
    run, _ = darcy
    scene = open_scene(run.parent / "set.h5", split="val")
    about = get(scene, "/api/about")
    assert (about["what"], about["split"], about["trust"]) == ("file", "val", None)
    assert {tuple(field["parts"]) for field in about["fields"]} == {("truth",)}
    low, high = next(f["range"] for f in about["fields"] if f["name"] == "permeability")
    assert 0 < low < high < 3
    found = get(scene, "/api/cases")
    assert found["pending"] == 0
    assert [row["error"] for row in found["cases"]] == [None, None]
    _, arrays = get(scene, f"/api/cases/{found['cases'][0]['id']}/fields")
    assert {*arrays} == {"pressure/truth", "permeability/truth"}


def test_a_field_is_nowhere_but_on_its_mask(tmp_path, opened):
    scene = opened(make_run(tmp_path, KINDS["flow-ragged-timed-inputs"]()))
    about = get(scene, "/api/about")
    names = [(field["name"], field["role"], field["mask"]) for field in about["fields"]]
    assert names == [
        ("pressure", "output", "surface"),
        ("velocity", "output", ""),
        ("roughness", "input", ""),
        ("pressure (given)", "input", ""),
    ]
    (row,) = get(scene, "/api/cases")["cases"]
    assert row["parameters"].keys() == {"speed", "angle"}
    _, mesh = get(scene, f"/api/cases/{row['id']}/mesh")
    _, arrays = get(scene, f"/api/cases/{row['id']}/fields?time=1")
    on = mesh["mask:surface"].astype(bool)
    for part in ("truth", "prediction", "error"):
        np.testing.assert_array_equal(np.isfinite(arrays[f"pressure/{part}"]), on)
        assert np.isfinite(arrays[f"velocity/{part}"]).all()


def test_every_time_can_be_looked_at_and_says_where_the_points_have_moved(tmp_path, opened):
    data = timed()
    scene = opened(make_run(tmp_path, data))
    about = get(scene, "/api/about")
    assert about["times"] == pytest.approx(data.times)
    assert about["deformed"] == ["x", "y"]
    assert about["vectors"] == [{"name": "u", "components": ["u_x", "u_y"]}]
    for moment in (0, 5):
        meta, arrays = get(scene, f"/api/cases/4/fields?time={moment}")
        assert meta["time"] == pytest.approx(data.times[moment])
        np.testing.assert_array_equal(arrays["u_y/truth"], data.outputs[4, moment, :, 3])
    last, _ = get(scene, "/api/cases/4/fields")
    assert last["time"] == 1.0


def test_rollouts_have_their_frames(tmp_path, opened):
    scene = opened(make_run(tmp_path, KINDS["flow-timed"](), history=1))
    assert len(get(scene, "/api/about")["times"]) == 2
    first, _ = get(scene, "/api/cases/4/fields?time=0")
    assert first["time"] == 1.0
    assert get(scene, "/api/cases/4/fields?time=1")[0]["time"] == 2.0


def test_ragged_cases_have_meshes_of_their_own(tmp_path, opened):
    scene = opened(make_run(tmp_path, ragged()))
    for number, count in ((7, 41), (8, 44)):
        _, mesh = get(scene, f"/api/cases/{number}/mesh")
        _, arrays = get(scene, f"/api/cases/{number}/fields")
        assert len(mesh["points"]) == count
        assert mesh["triangles"].max() < count
        assert {len(values) for values in arrays.values()} == {count}


def test_the_surface_of_a_body_is_drawn_among_points_around_it(tmp_path):
    """Cars whose surface points are on a sphere, within the other points."""
    data, on = cars((300,) * 7), np.arange(300) % 3 > 0
    points = np.random.default_rng(0).normal(size=data.points.shape)
    points *= np.where(on, 1, 2)[:, None] / np.linalg.norm(points, axis=-1, keepdims=True)
    data = replace(data, points=points.astype(np.float32), masks={"surface": on}, weights={})
    dataset_file.write(tmp_path / "cars.h5", data)
    scene = open_scene(tmp_path / "cars.h5")
    meta, mesh = get(scene, "/api/cases/3/mesh")
    assert (meta["dim"], meta["surface"], meta["up"]) == (3, "surface", "y")
    assert mesh["triangles"].shape == (2 * 200 - 4, 3)  # Euler's formula
    assert mesh["mask:surface"][mesh["triangles"]].all()


@pytest.mark.parametrize(
    "path",
    [
        "/api/cases?split=none",
        "/api/cases?split=",
        "/api/cases/0/mesh",  # of another split
        "/api/cases/99/fields",
        "/api/cases/-1/fields",
        "/api/cases/1e1/fields",
        "/api/cases/٣/fields",
        "/api/cases/99999999999999999999/mesh",
        "/api/cases/10/fields?time=1",
        "/api/cases/10/fields?time=-1",
        "/api/cases/10/fields?time=now",
        "/api/cases/10/fields?split=%3Cscript%3E",
        "/api/live/start",
    ],
)
def test_a_question_that_makes_no_sense_is_answered_in_one_line(darcy, path):
    response = ask(darcy[1], path)
    assert response.status_code == 400
    assert response.json().keys() == {"error"}
    assert "\n" not in response.json()["error"]


@pytest.mark.parametrize("path", ["/nothing", "/static/none.js", "/static/../scene.py", "/static/"])
def test_nothing_but_the_page_and_its_parts_is_given_out(darcy, path):
    assert ask(darcy[1], path).status_code == 404


def test_a_run_that_is_deleted_while_it_is_viewed_is_still_shown(tmp_path, opened):
    scene = opened(make_run(tmp_path, darcy_like()))
    shutil.rmtree(tmp_path / "run")
    get(scene, "/api/cases/10/fields")
    assert all_cases(scene)


def test_data_that_are_damaged_while_they_are_viewed_are_told_and_the_rest_is_shown(tmp_path):
    path = tmp_path / "set.h5"
    dataset_file.write(path, darcy_like(num=64, n=65))
    scene = open_scene(path)
    get(scene, "/api/cases/62/fields")
    size = path.stat().st_size
    with path.open("r+b") as file:  # samples are read when they are asked for
        file.seek(size // 4)
        file.write(b"\xff" * (size // 2))
    found = [ask(scene, f"/api/cases/{number}/fields?split=train") for number in range(60)]
    told = [response.json()["error"] for response in found if response.status_code == 500]
    assert told
    assert all(line.startswith(str(path)) and "\n" not in line for line in told)
    assert ask(scene, "/api/about").status_code == 200


def test_names_with_markup_stay_text(tmp_path):
    data = darcy_like()
    name = "<img src=x onerror=alert(1)>"
    problem = replace(data.problem, name="<script>1</script>", outputs=(name,))
    dataset_file.write(tmp_path / "<b>.h5", replace(data, problem=problem))
    scene = open_scene(tmp_path / "<b>.h5")
    response = ask(scene, "/api/about")
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.json()["fields"][0]["name"] == name
    _, arrays = get(scene, "/api/cases/10/fields")
    assert f"{name}/truth" in arrays
    assert "<script>" not in ask(scene, "/").text.replace("<script type", "")
