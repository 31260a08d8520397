"""Error bars of a run: what they are, that they hold, where they are kept and told."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import llt
from llt.cli import main
from llt.data import dataset_file
from llt.data.arrays import read_arrays, write_arrays
from llt.data.splits import Splits
from llt.evaluation import evaluate
from llt.evaluation.metrics import Evaluation
from llt.evaluation.report import write_report
from llt.evaluation.trust import PointScores, calibrate, coverage
from llt.packing import pack
from llt.training import TrainConfig, train
from llt.training.validation import sample_errors
from llt.trust.conformal import case_bar, point_bar
from tests.conftest import ragged
from tests.data.kinds import KINDS, flow, timed
from tests.trust.cases import surrogate_of, wings

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


def make_run(folder, data):
    dataset_file.write(folder / "set.h5", data)
    config = TrainConfig(epochs=1, batch_size=4)
    return train(folder / "set.h5", folder / "run", model_settings=MODEL, config=config)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run on 40 training, 20 validation and 20 test cases, evaluated."""
    data = wings()
    run = make_run(tmp_path_factory.mktemp("wings"), data)
    assert llt.load(run).trust is None
    assert main(["evaluate", str(run)]) == 0
    return run, data


@pytest.fixture
def copy(finished, tmp_path):
    return shutil.copytree(finished[0], tmp_path / "run")


def predicted_errors(surrogate, data, split):
    samples = [data.sample(index) for index in data.split(split)]
    pairs = [(surrogate.predict(s.points, s.given, check=False), s.outputs) for s in samples]
    points = [np.abs(u - truth)[:, 0] for u, truth in pairs]
    cases = np.array([np.linalg.norm(u - v) / np.linalg.norm(v) for u, v in pairs])
    return points, cases


def test_bars_are_those_of_the_validation_split(finished):
    run, data = finished
    surrogate = llt.load(run)
    points, cases = predicted_errors(surrogate, data, "val")
    trust = surrogate.trust
    assert trust.bars["pressure"] == pytest.approx(point_bar(points), rel=1e-4)
    assert trust.error == pytest.approx(case_bar(cases), rel=1e-4)
    assert trust.field_errors["pressure"] == trust.error
    assert (trust.cases, trust.data_hash, trust.missing) == (20, data.hash, "")


def test_coverage_is_of_the_split_that_is_evaluated(finished):
    run, data = finished
    surrogate, found = llt.load(run), evaluate(run).trust
    points, cases = predicted_errors(surrogate, data, "test")
    expected = np.mean([(case <= found.bars["pressure"]).mean() for case in points])
    assert found.coverage["pressure"] == pytest.approx(expected)
    assert found.case_coverage == pytest.approx(np.mean(cases <= found.error))
    assert len(found.distances) == len(found.groups) == 20
    assert found.beyond == sum(distance > 1 for distance in found.distances)
    own = evaluate(run, split="val").trust
    assert own.coverage == {}
    assert own.case_coverage is None


def test_they_are_kept_with_the_evaluation(finished):
    run, _ = finished
    evaluation = evaluate(run)
    again = Evaluation.from_dict(json.loads(json.dumps(evaluation.to_dict())))
    assert again.trust == evaluation.trust
    older = {name: value for name, value in evaluation.to_dict().items() if name != "trust"}
    assert Evaluation.from_dict(older).trust is None


def test_bars_of_other_weights_are_not_used(copy):
    path = copy / "best" / "trust.json"
    content = json.loads(path.read_text())
    assert llt.load(copy).trust is not None
    path.write_text(json.dumps(content | {"checksum": "0" * 16}))
    assert llt.load(copy).trust is None
    path.write_text("[")
    assert llt.load(copy).trust is None
    assert evaluate(copy).trust is not None
    assert json.loads(path.read_text()) == content
    llt.load(copy).save(copy / "best", epoch=77)
    assert llt.load(copy).trust is None


def test_another_dataset_does_not_make_bars(copy, tmp_path):
    (copy / "best" / "trust.json").unlink()
    other = tmp_path / "other.h5"
    dataset_file.write(other, replace(wings(), splits=Splits.consecutive(30, 30, 20)))
    assert evaluate(copy, data_path=other).trust is None
    assert not (copy / "best" / "trust.json").exists()


def test_a_run_that_cannot_be_written_is_trusted_all_the_same(copy):
    (copy / "best" / "trust.json").unlink()
    (copy / "best" / "trust.json").mkdir()
    assert evaluate(copy).trust.bars


@pytest.mark.parametrize("kind", KINDS)
def test_few_validation_cases_give_no_bars_and_say_so(kind, tmp_path, capsys):
    run = make_run(tmp_path, KINDS[kind]())
    assert main(["evaluate", str(run), "--split", "train"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    count = len(KINDS[kind]().split("val"))
    assert f"no error bars: {count} validation cases, 9 are needed for 90 %" in told
    trust = llt.load(run).trust
    assert trust.bars == {} and trust.error is None


@pytest.mark.parametrize(
    "kind", [timed, lambda: flow(times=3), lambda: flow(sizes=(7, 9, 5, 7, 8))]
)
def test_points_are_those_where_a_field_exists_at_all_times(kind, monkeypatch):
    data = kind()
    surrogate, indices = surrogate_of(data), np.arange(len(data))
    scores = PointScores(data, indices)
    sample_errors(surrogate, surrogate.source(data, indices), data.problem.grid, seen=scores.see)
    times = [None] if data.times is None else data.times.tolist()
    for channel, output in enumerate(data.problem.outputs):
        for index, found in zip(indices, scores.by_field()[output.name], strict=True):
            sample, expected = data.sample(index), []
            for k, t in enumerate(times):
                now = sample if t is None else sample.at(k)
                u = surrogate.predict(now.points, now.given, t, check=False)
                here = sample.masks[output.mask] if output.mask else slice(None)
                expected.append(np.abs(u - now.outputs)[here, channel])
            np.testing.assert_allclose(found, np.concatenate(expected), rtol=1e-3, atol=1e-5)
    monkeypatch.setattr("llt.evaluation.trust.POINTS", 3 * len(times))
    few = PointScores(data, indices)
    sample_errors(surrogate, surrogate.source(data, indices), data.problem.grid, seen=few.see)
    for name, cases in few.by_field().items():
        for some, whole in zip(cases, scores.by_field()[name], strict=True):
            assert len(some) <= 3 * len(times)
            assert set(some) <= set(whole)


def test_bars_hold_on_new_point_sets():
    """Over many splits of the same cases, points and cases are covered as claimed."""
    data, points, cases = ragged(60), [], []
    surrogate, rng = surrogate_of(data), np.random.default_rng(0)
    for _ in range(40):
        order = rng.permutation(60)
        split = replace(data, splits=Splits(order[:10], order[10:35], order[35:]))
        trust, scores = calibrate(surrogate, split, {}), PointScores(split, order[35:])
        source = surrogate.source(split, order[35:])
        errors = sample_errors(surrogate, source, seen=scores.see)
        points.append(list(coverage(trust.bars, scores.by_field()).values()))
        cases.append((errors.total.numpy() <= trust.error).mean())
    assert 0.88 < np.mean(points) < 0.95
    assert 0.88 < np.mean(cases) < 0.95


def test_the_command_tells_bars_and_coverage(finished, capsys):
    run, _ = finished
    assert main(["evaluate", str(run)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "error bars from 20 validation cases: 90 % of the points of a new case" in told
    assert "on the test split: of the points, pressure" in told
    evaluation = evaluate(run)
    farthest = evaluation.indices[int(np.argmax(evaluation.trust.distances))]
    assert f"(case {farthest}, parameter" in told
    assert main(["evaluate", str(run), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["trust"]
    assert found["bars"]["pressure"] > 0
    assert len(found["distances"]) == 20


def test_predictions_come_with_bars_and_distances(finished, tmp_path, capsys):
    run, data = finished
    numbers = {"mach": np.array([0.5, 1.5]), "angle": np.array([0.0, 1.0])}
    write_arrays(tmp_path / "new.npz", {"points": data.mesh, **numbers})
    assert main(["predict", str(run), str(tmp_path / "new.npz"), "-o", str(tmp_path / "o.h5")]) == 0
    told = capsys.readouterr().err
    assert "off by less than pressure" in told
    assert "(case 1, parameter mach)" in told
    assert "unfamiliar: 1 of 2 cases lie further out than every training case" in told
    out, trust = read_arrays(tmp_path / "o.h5"), llt.load(run).trust
    assert out["pressure_bar"] == pytest.approx(trust.bars["pressure"])
    assert out["distance"].shape == (2,)
    assert out["distance"][0] < 1 < out["distance"][1]
    assert out["pressure"].shape == (2, 20)


def test_predictions_of_cases_of_different_sizes_have_their_distances(tmp_path, capsys):
    data = replace(ragged(30), splits=Splits.consecutive(12, 9, 9))
    run = make_run(tmp_path, data)
    words = [str(run), str(tmp_path / "set.h5"), "-o", str(tmp_path / "o.npz")]
    assert main(["predict", *words]) == 0
    assert f"no error bars yet: llt evaluate {run} finds them" in capsys.readouterr().err
    assert "distance" not in read_arrays(tmp_path / "o.npz")
    assert main(["evaluate", str(run)]) == 0
    assert main(["predict", *words, "--force"]) == 0
    out = read_arrays(tmp_path / "o.npz")
    assert out["distance"].shape == (30,)
    assert {"stress_bar", "strain_bar"} <= out.keys()


def test_the_report_has_a_section(finished):
    run, _ = finished
    page = write_report(run, evaluate(run)).read_text()
    assert "How far to trust it" in page
    assert "Error bars from 20 validation cases" in page


def test_packs_carry_them(finished, tmp_path):
    run, _ = finished
    pack(run, tmp_path / "packed")
    surrogate = llt.load(tmp_path / "packed")
    assert surrogate.trust == llt.load(run).trust
    pack(run, tmp_path / "packed", force=True)
    found = evaluate(tmp_path / "packed", data_path=run.parent / "set.h5").trust
    assert found.bars == surrogate.trust.bars
