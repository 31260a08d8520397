"""Live problems: what is asked is what is answered, by the surrogate and by the solver."""

import asyncio
import base64
import os
import time
from dataclasses import replace
from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import llt
from llt.errors import BusyError, ConfigError, SolverError
from llt.generation import generate_file
from llt.solvers import airfoil, darcy, pipe
from llt.solvers.base import sample_rng
from llt.training import TrainConfig, train
from llt.view.application import make_app
from llt.view.live.airfoil import Airfoil
from llt.view.live.darcy import BUDGET, Darcy
from llt.view.live.finding import find_live
from llt.view.live.pipe import Pipe
from llt.view.live.solving import solve_airfoil, solve_painting, solve_pipe
from llt.view.opening import open_scene
from llt.view.worker import Worker
from tests.view.asking import MODEL, ask, get, post, wait_for
from tests.waiting import until

SIDE = 9
START, PREDICT, SOLVE = (f"/api/live/{name}" for name in ("start", "predict", "solve"))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    small = {"resolution": 33, "stored_resolution": SIDE}
    generate_file("darcy", folder / "set.h5", counts=(4, 2, 2), workers=1, settings=small)
    config = TrainConfig(epochs=1, batch_size=2)
    return train(folder / "set.h5", folder / "run", model_settings=MODEL, config=config)


@pytest.fixture(scope="module")
def scene(run):
    opened = open_scene(run)
    yield opened
    opened.close()


def painted(high, **more):
    text = base64.b64encode(np.asarray(high, np.uint8).tobytes()).decode()
    return {"permeability": text, "shape": [SIDE, SIDE], **more}


HALF = np.arange(SIDE**2).reshape(SIDE, SIDE) % SIDE > 3


def test_the_page_begins_with_a_medium_and_its_answer(scene):
    about = get(scene, "/api/about")["live"]
    assert about == {"kind": "darcy", "grid": [SIDE, SIDE], "values": [3.0, 12.0]}
    meta, arrays = get(scene, START)
    assert meta["grid"] == [SIDE, SIDE]
    assert len(arrays["points"]) == len(arrays["permeability"]) == SIDE**2
    assert {*arrays["permeability"].tolist()} == {0, 1}
    np.testing.assert_array_equal(
        arrays["permeability/truth"], np.where(arrays["permeability"], 12, 3)
    )


def test_what_is_painted_is_what_the_surrogate_is_asked(scene, run):
    meta, arrays = post(scene, PREDICT, painted(HALF, fine=True))
    u = llt.load(run).predict(a={"permeability": np.where(HALF, 12.0, 3.0)})["pressure"]
    np.testing.assert_allclose(arrays["pressure/prediction"], u.reshape(-1), rtol=1e-5)
    assert meta["seconds"]["predict"] > 0


def test_the_solver_solves_what_is_painted_and_both_are_timed(scene, run):
    meta, arrays = post(scene, SOLVE, painted(HALF))
    about = darcy.Settings(resolution=33, stored_resolution=SIDE)
    # the point in the middle between two belongs to the next
    near = [(i + 2) // 4 for i in range(33)]
    medium = np.where(HALF[np.ix_(near, near)], 12.0, 3.0)
    truth = darcy.solve_permeability(medium, about)
    np.testing.assert_array_equal(truth.inputs["permeability"], np.where(HALF, 12.0, 3.0))
    u = truth.outputs["pressure"].reshape(-1).astype(np.float32)
    np.testing.assert_allclose(arrays["pressure/truth"], u, rtol=1e-6)
    np.testing.assert_array_equal(
        arrays["pressure/error"], arrays["pressure/prediction"] - arrays["pressure/truth"]
    )
    size = np.linalg.norm(arrays["pressure/error"]) / np.linalg.norm(u)
    assert meta["errors"]["pressure"] == pytest.approx(size, rel=1e-5)
    assert meta["seconds"]["solve"] > 0
    assert meta["seconds"]["predict"] > 0


def test_the_server_answers_while_the_solver_is_at_work(scene, monkeypatch):
    """And refuses a second solve, in one line, until it has answered."""
    begun, may_end = Event(), Event()
    ask_process = scene.live._worker._process.ask

    def slow(*args, **kwargs):
        begun.set()
        assert may_end.wait(60)
        return ask_process(*args, **kwargs)

    post(scene, SOLVE, painted(HALF))  # it is warm
    monkeypatch.setattr(scene.live._worker._process, "ask", slow)
    answers = []
    solving = Thread(target=lambda: answers.append(post(scene, SOLVE, painted(HALF))))
    solving.start()
    assert begun.wait(60)
    post(scene, PREDICT, painted(~HALF))
    second = ask(scene, SOLVE, "POST", json=painted(HALF))
    may_end.set()
    solving.join()
    assert second.status_code == 429
    assert "\n" not in second.json()["error"]
    assert "solve" in answers[0][0]["seconds"]


def test_a_solver_that_dies_is_told_and_the_next_one_solves(scene, monkeypatch):
    post(scene, SOLVE, painted(HALF))
    worker = scene.live._worker
    call = worker.call
    monkeypatch.setattr(worker, "call", lambda *args: call(os._exit, 1))
    response = ask(scene, SOLVE, "POST", json=painted(HALF))
    monkeypatch.undo()
    assert response.status_code == 422
    assert response.json() == {"error": "the solver's process ended"}
    post(scene, SOLVE, painted(HALF))


def test_work_ends_when_the_server_does():
    worker, errors = Worker(), []
    worker.call(len, "")

    def work():
        try:
            worker.call(time.sleep, 1000)
        except SolverError as error:
            errors.append(str(error))

    working = Thread(target=work)
    working.start()
    until(worker._lock.locked)
    worker.close()
    working.join(60)
    assert errors == ["the solver's process was stopped"]
    with pytest.raises(SolverError, match="was stopped"):
        worker.call(len, "")


def test_work_that_is_about_to_begin_ends_with_the_server_too(monkeypatch):
    """It finds its process dead, as it was killed just then, and starts another one."""
    worker, begun, errors = Worker(), Event(), []
    worker.call(len, "")
    ask_process = worker._process.ask

    def late(*args, **kwargs):
        begun.set()
        until(lambda: worker._process._process.poll() is not None)
        return ask_process(*args, **kwargs)

    def work():
        try:
            worker.call(time.sleep, 1000)
        except SolverError as error:
            errors.append(str(error))

    monkeypatch.setattr(worker._process, "ask", late)
    working = Thread(target=work, daemon=True)
    closing = Thread(target=worker.close, daemon=True)
    working.start()
    assert begun.wait(60)
    closing.start()
    working.join(60)
    closing.join(60)
    assert errors == ["the solver's process was stopped"]


def test_a_server_that_ends_gives_up_what_is_being_solved(run):
    scene, errors = open_scene(run), []
    worker = scene.live._worker
    worker.call(len, "")

    def work():
        try:
            worker.call(time.sleep, 1000)
        except SolverError as error:
            errors.append(str(error))

    async def serve():
        async with (app := make_app(scene)).router.lifespan_context(app):
            working.start()
            while not worker._lock.locked():
                await asyncio.sleep(0.01)

    working = Thread(target=work)
    asyncio.run(serve())
    working.join(60)
    assert errors == ["the solver's process was stopped"]
    scene.close()  # once more does no harm


def test_one_process_has_one_question_at_a_time():
    worker = Worker()
    with worker._lock, pytest.raises(BusyError):
        worker.call(len, "")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
NAMES = ("permeability", "shape", "fine", "controls")
REQUESTS = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, ANYTHING)) | (
    st.fixed_dictionaries(
        {"shape": st.just([SIDE, SIDE]), "fine": st.booleans()},
        optional={
            "permeability": st.binary(max_size=99).map(lambda z: base64.b64encode(z).decode())
        },
    )
)


@settings(max_examples=100)
@given(asked=REQUESTS, content=st.binary(min_size=SIDE**2, max_size=SIDE**2))
def test_any_request_is_read_or_refused_in_one_line(scene, asked, content):
    kinds = (scene.live._kind, AIRFOIL, PIPE)
    for kind in kinds:
        try:
            kind.read(asked)
        except ConfigError as error:
            assert "\n" not in str(error)
            assert len(str(error)) < 200
        else:  # an empty one is never right
            assert asked
    bits = painted(np.frombuffer(content, np.uint8))
    if max(content) <= 1:
        assert kinds[0].read(bits).high.sum() == sum(content)
    else:
        with pytest.raises(ConfigError, match="0 or 1"):
            kinds[0].read(bits)


@given(values=st.lists(st.floats(-0.05, 0.05), min_size=7, max_size=7))
def test_all_airfoils_of_training_can_be_asked(values):
    np.testing.assert_array_equal(AIRFOIL.read({"controls": values}), values)


def test_the_grid_of_an_answer_that_comes_at_once_is_what_the_machine_can_do(scene):
    kind = Darcy(scene._surrogate, darcy.Settings(stored_resolution=85))
    kind.side, kind._sides = 85, [43, 61]
    high = np.ones((85, 85), bool)

    def side():
        return kind.question(replace(kind.first(), high=high, fine=False)).grid[0]

    assert side() == 61  # nothing is known yet
    for seconds, expected in ((10 * BUDGET, 43), (BUDGET / 10, 61)):
        for _ in range(20):
            kind.note(kind.question(replace(kind.first(), high=high, fine=False)), seconds)
        assert side() == expected


SMALL_AIRFOIL = airfoil.Settings(panels=16, wake=8, layers=12, tolerance=1e-6)
AIRFOIL = Airfoil(SMALL_AIRFOIL, (1, 1))
SMALL_PIPE = pipe.Settings(elements=4, viscosity=0.1)
PIPE = Pipe(SMALL_PIPE, (1, 1))


def test_an_airfoil_is_bent_as_the_solver_bends_it():
    """The displacements that a sample was drawn with give its points and its Mach numbers."""
    sample = airfoil.solve_sample(sample_rng(0, 0), SMALL_AIRFOIL)
    asked = AIRFOIL.read({"controls": [sample.info[f"displacement_{i}"] for i in range(1, 8)]})
    np.testing.assert_array_equal(AIRFOIL.question(asked).points, sample.points)
    function, args = AIRFOIL.job(asked)
    assert function is solve_airfoil
    np.testing.assert_allclose(function(*args)["mach"], sample.outputs["mach"], rtol=1e-6)
    coarse = Airfoil(SMALL_AIRFOIL, (2, 3)).question(asked)
    np.testing.assert_array_equal(coarse.points, sample.points[::2, ::3])


def test_a_pipe_is_bent_as_the_solver_bends_it():
    sample = pipe.solve_sample(sample_rng(0, 0), SMALL_PIPE)
    heights = [sample.info[f"height_{k}"] for k in range(1, 5)]
    slopes = [sample.info[f"slope_{k}"] for k in range(5)]
    piece = SMALL_PIPE.length / SMALL_PIPE.pieces
    values = list(heights)
    for knot, (control, slope) in enumerate(zip(PIPE.controls[4:], slopes, strict=True)):
        # the handle of a slope is where its tangent is
        values.append(slope / piece * (control.x - knot * piece))
        assert control.follows == knot - 1
        assert 0 <= control.x <= SMALL_PIPE.length
    asked = PIPE.read({"controls": values})
    np.testing.assert_allclose(PIPE.question(asked).points, sample.points, atol=1e-12)
    function, args = PIPE.job(asked)
    assert function is solve_pipe
    np.testing.assert_allclose(function(*args)["velocity"], sample.outputs["velocity"], atol=1e-9)


@pytest.mark.parametrize("kind", [AIRFOIL, PIPE], ids=["airfoil", "pipe"])
def test_handles_begin_within_their_reach_and_cannot_leave_it(kind):
    first = kind.first()
    meta, _ = kind.start(first)
    assert len(meta["controls"]) == len(meta["values"]) == len(meta["names"]) == len(first)
    for number, (_, _, low, high) in enumerate(meta["controls"]):
        assert low <= meta["values"][number] <= high
        values = [0.0] * len(first)
        for wrong in (2 * high, 2 * low, float("nan"), None, "1", True, [0]):
            values[number] = wrong
            with pytest.raises(ConfigError, match="must be a number from"):
                kind.read({"controls": values})


@pytest.mark.parametrize("name", ["darcy", "airfoil", "pipe"])
def test_what_one_begins_with_is_familiar_to_the_weights_of_the_package(name):
    scene = open_scene(f"pretrained:{name}")
    try:
        meta, arrays = get(scene, START)
        assert meta["distance"] < 1
        assert meta["warning"] == ""
        (field,) = llt.load(f"pretrained:{name}").problem.output_names
        assert np.isfinite(arrays[f"{field}/prediction"]).all()
        assert arrays[f"{field}/bar"].shape == (1,)
    finally:
        scene.close()


def test_what_is_far_from_all_training_cases_is_told():
    scene = open_scene("pretrained:darcy")
    try:
        text = base64.b64encode(bytes(85 * 85)).decode()
        meta, _ = post(scene, PREDICT, {"permeability": text, "shape": [85, 85]})
        assert meta["distance"] > 1
        assert "further out than every training case" in meta["warning"]
    finally:
        scene.close()


def test_weights_without_data_show_cases_of_their_own_test_split(monkeypatch):
    """Solved again by the reference solver, one after the other."""
    scene = open_scene("pretrained:elasticity")
    try:
        early = ask(scene, "/api/cases/1211/fields")
        assert early.status_code in (200, 429)
        found = wait_for(
            lambda: get(scene, "/api/cases"),
            lambda one: any(row["error"] for row in one["cases"]),
        )
        row = next(row for row in found["cases"] if row["error"])
        assert row["id"] in range(1200, 1212)
        assert row["error"] < 0.03  # the worst of the test split is 0.020
        assert row["distance"] > 0
        assert ask(scene, "/api/cases/1212/fields").status_code == 400
    finally:
        scene.close()


def test_data_of_others_have_no_live_problem(scene):
    surrogate = scene._surrogate
    for provenance in ({}, {"solver": "pipe", "settings": {}}, {"solver": "darcy"}):
        assert find_live(surrogate, provenance) is None
    words = {"resolution": 33, "stored_resolution": 33, "strange": 1}
    assert find_live(surrogate, {"solver": "darcy", "settings": words}) is None


def test_a_painting_that_cannot_be_solved_is_told(scene, monkeypatch):
    hasty = replace(scene.live._kind.settings, max_iterations=1)
    monkeypatch.setattr(scene.live._kind, "settings", hasty)
    response = ask(scene, SOLVE, "POST", json=painted(HALF))
    assert response.status_code == 422
    assert response.json()["error"].startswith("darcy: residual")


def test_the_process_of_the_solver_loads_nothing_heavy_but_the_solver():
    worker = Worker()
    try:
        settings = darcy.Settings(resolution=5, stored_resolution=5)
        worker.call(solve_painting, np.full((5, 5), 3.0), settings)
        loaded = worker.call(eval, "{*__import__('sys').modules}")
        assert "llt.solvers.darcy" in loaded
        assert not loaded & {"torch", "matplotlib", "starlette"}
    finally:
        worker.close()
