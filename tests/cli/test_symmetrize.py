"""`--symmetrize` as a user types it: both errors beside each other, and problems without any."""

import json

import numpy as np
import pytest

import llt
from llt.cli import main
from llt.data import dataset_file
from llt.evaluation.verdict import percent
from llt.runtime.checked import write_checked
from llt.training import TrainConfig, train
from tests.conftest import darcy_like, ragged

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


def make_run(folder, data):
    dataset_file.write(folder / "set.h5", data)
    # fewer epochs leave the mean field as the best weights, which has all symmetries
    config = TrainConfig(epochs=8, batch_size=4)
    return train(folder / "set.h5", folder / "run", model_settings=MODEL, config=config)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("darcy"), darcy_like())


@pytest.fixture(scope="module")
def bare_run(tmp_path_factory):
    """Of a problem without symmetries."""
    return make_run(tmp_path_factory.mktemp("points"), ragged())


def test_predict_averages_where_asked_to(run, tmp_path):
    for name, words in (("plain", []), ("averaged", ["--symmetrize"])):
        out = tmp_path / f"{name}.npz"
        assert main(["predict", str(run), str(run.parent / "set.h5"), "-o", str(out), *words]) == 0
    data, surrogate = darcy_like(), llt.load(run)
    for name, symmetrize in (("plain", False), ("averaged", True)):
        with np.load(tmp_path / f"{name}.npz") as archive:
            found = archive["pressure"][3].reshape(-1, 1)
        u = surrogate.predict(data.points, data.inputs[3], symmetrize=symmetrize)
        np.testing.assert_allclose(found, u, rtol=1e-4)


def test_evaluate_gives_both_errors(run, capsys):
    assert main(["evaluate", str(run)]) == 0
    shown = capsys.readouterr().out
    kept = json.loads((run / "evaluation.json").read_text())
    found, data, surrogate = kept["symmetrized"], darcy_like(), llt.load(run)
    errors = []
    for sample in map(data.sample, data.split("test")):
        u = surrogate.predict(sample.points, sample.inputs, symmetrize=True)
        errors.append(np.linalg.norm(u - sample.outputs) / np.linalg.norm(sample.outputs))
    assert found["relative_l2"] == pytest.approx(np.mean(errors), rel=1e-4)
    assert found["worst"] == pytest.approx(max(errors), rel=1e-4)
    assert found["fields"]["pressure"]["relative_l2"] == pytest.approx(np.mean(errors), rel=1e-4)
    assert found["symmetries"] == 8
    assert found["relative_l2"] != pytest.approx(kept["relative_l2"], rel=1e-4)
    assert found["seconds_per_sample"] > 0
    (errors, seconds) = (s.split() for s in shown.splitlines() if s.startswith("  symmetrized"))
    assert errors[1] == f"{found['relative_l2']:.5f}"
    assert seconds[-4:] == ["mean", "over", "8", "symmetries"]


def test_symmetrized_predictions_are_timed(run, monkeypatch):
    asked, predict = [], llt.Surrogate.predict

    def ask(self, *args, symmetrize=False, **rest):
        asked.append(symmetrize)
        return predict(self, *args, symmetrize=symmetrize, **rest)

    monkeypatch.setattr(llt.Surrogate, "predict", ask)
    assert main(["evaluate", str(run)]) == 0
    assert asked == [False] * 3 + [True] * 3  # each the first time to warm up


def test_the_report_shows_both_errors(run):
    assert main(["evaluate", str(run)]) == 0
    stored = run / "evaluation.json"
    kept = json.loads(stored.read_text())
    kept["symmetrized"] |= {"relative_l2": 0.12345, "seconds_per_sample": 0.0777}
    write_checked(stored, kept)
    assert main(["report", str(run)]) == 0
    page = (run / "report.html").read_text().replace("&#160;", " ")
    assert f"<b>{percent(kept['relative_l2'])}</b>" in page
    assert "<b>12.3 %</b><span>the same, averaged over 8 symmetries" in page
    assert "77.7 ms symmetrized" in page


def test_evaluations_of_older_versions_are_made_anew_for_a_report(run):
    """They have no checksum."""
    assert main(["evaluate", str(run)]) == 0
    stored = run / "evaluation.json"
    kept = json.loads(stored.read_text())
    del kept["symmetrized"], kept["checksum"]
    stored.write_text(json.dumps(kept))
    assert main(["report", str(run)]) == 0
    assert "averaged over 8 symmetries" in (run / "report.html").read_text()
    assert json.loads(stored.read_text())["symmetrized"]


def test_evaluate_without_the_cost(run, bare_run, capsys):
    assert main(["evaluate", str(run), "--json", "--no-symmetrize"]) == 0
    assert json.loads(capsys.readouterr().out)["symmetrized"] is None
    assert main(["evaluate", str(bare_run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["symmetrized"] is None


def test_symmetries_that_do_not_fit_another_grid_are_left_out(run, tmp_path, capsys):
    """A swap of the axes has no meaning on 9 x 7 points."""
    from dataclasses import replace

    data = darcy_like()
    keep = np.arange(81).reshape(9, 9)[:, :7].ravel()
    parts = {name: getattr(data, name)[..., keep, :] for name in ("points", "inputs", "outputs")}
    narrow = replace(data, problem=replace(data.problem, grid=(9, 7)), **parts)
    dataset_file.write(tmp_path / "narrow.h5", narrow)
    words = ["evaluate", str(run), "--data", str(tmp_path / "narrow.h5"), "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["symmetrized"] is None
    assert main([*words, "--symmetrize"]) == 2
    assert "symmetry swap does not fit (9, 7)" in capsys.readouterr().err


def test_a_record_carries_the_symmetrized_error(run, tmp_path):
    assert main(["evaluate", str(run)]) == 0
    out = tmp_path / "accuracy/darcy.json"
    words = ["--title", "LLT on small Darcy", "--command", "llt train small.h5"]
    assert main(["bench", "record", str(run), "-o", str(out), *words]) == 0
    kept = json.loads((run / "evaluation.json").read_text())["symmetrized"]
    assert json.loads(out.read_text())["results"]["evaluation"]["symmetrized"] == kept


def test_a_problem_without_symmetries_is_named(bare_run, tmp_path, capsys):
    path = tmp_path / "in.npz"
    np.savez(path, points=np.random.rand(20, 2), load=np.ones(20))
    calls = {
        "predict": ["predict", str(bare_run), str(path), "-o", str(tmp_path / "out.npz")],
        "evaluate": ["evaluate", str(bare_run)],
    }
    for words in calls.values():
        assert main([*words, "--symmetrize"]) == 2
        out, err = capsys.readouterr()
        assert "points declares no symmetries" in err and err.count("\n") == 1 and out == ""
    words = ["train", str(bare_run.parent / "set.h5"), "--out", str(tmp_path / "new")]
    assert main([*words, "--set", "train.augment=true"]) == 2
    err = capsys.readouterr().err
    assert "points declares no symmetries: train without augment" in err and err.count("\n") == 1


def test_help_says_what_it_costs(capsys):
    for command in ("predict", "evaluate"):
        assert main([command, "--help"]) == 0
        assert "G times the" in " ".join(capsys.readouterr().out.split())
