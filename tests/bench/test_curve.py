"""Learning curves: the law, what is said about it, and the trainings behind it."""

import json

import numpy as np
import pytest

from llt.bench.curve import fit_law
from llt.bench.curve_report import promise
from llt.cli import main
from llt.data import dataset_file
from llt.errors import DataError
from tests.conftest import darcy_like


def errors(cases, rate=0.5, test=40, noise=0.1):
    """Of test cases that are hard or easy on all numbers of cases alike."""
    hard = np.exp(noise * np.random.default_rng(0).normal(size=test))
    return np.array([0.8 * n**-rate * hard for n in cases])


def results(cases, found):
    from dataclasses import asdict

    points = [
        {
            "cases": n,
            "test_error": float(row.mean()),
            "best_val_error": float(row.mean()),
            "mean_field_error": 1.0,
            "per_sample": row.tolist(),
        }
        for n, row in zip(cases, found, strict=True)
    ]
    return {"points": points, "law": asdict(fit_law(cases, found))}


def test_a_power_law_is_found():
    cases = (12, 24, 48)
    law = fit_law(cases, errors(cases))
    assert law.rate == pytest.approx(0.5) and law.misses == pytest.approx(1)
    assert law.cases == 96
    assert law.error == pytest.approx(errors([96]).mean(), rel=1e-6)
    assert law.low < law.error < law.high < 1.1 * law.low


def test_words_are_honest():
    cases = (12, 24, 48)
    good = promise(results(cases, errors(cases)))
    assert good.startswith("twice the cases (96) would give an error of about 0.0")
    assert "guess" not in good
    bent = errors(cases) * np.array([[1.0], [1.6], [1.0]])
    assert "lie up to" in promise(results(cases, bent))
    assert "more cases hardly lower the error" in promise(results(cases, errors(cases, rate=0.01)))
    few = promise(results(cases, errors(cases, test=3)))
    assert "there are 3 test cases only" in few and "take it as a guess" in few
    rng = np.random.default_rng(1)
    wild = errors(cases) * np.exp(2.0 * rng.normal(size=(3, 40)))
    assert "other test cases would say something else" in promise(results(cases, wild))
    useless = results(cases, errors(cases))
    useless["points"][-1]["mean_field_error"] = useless["points"][-1]["test_error"]
    assert "hardly better than the mean field" in promise(useless)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "own.h5"
    dataset_file.write(path, darcy_like(num=20))
    return path


QUICK = ["--set", "model.dim=8", "--set", "model.num_layers=1", "--set", "train.batch_size=2"]


def test_the_command_trains_on_parts_of_the_cases(file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["llt", "bench", "data", "own.h5"])
    out = tmp_path / "curve"
    words = ["bench", "data", str(file), "--steps", "16", "--device", "cpu", "--out", str(out)]
    assert main([*words, *QUICK, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record == json.loads((out / "record.json").read_text())
    points = record["results"]["points"]
    assert [point["cases"] for point in points] == [4, 8, 16]
    assert record["results"]["steps"] == 16
    for point in points:
        run = out / str(point["cases"])
        epochs = len((run / "metrics.jsonl").read_text().splitlines())
        steps = json.loads((run / "metrics.jsonl").read_text().splitlines()[-1])["epoch"]
        assert steps * (point["cases"] // 2) == 16 and epochs > 0
        assert len(point["per_sample"]) == 2
        data = json.loads((run / "data.json").read_text())
        assert data["hash"] == dataset_file.read(file).hash
    assert (out / "curve.png").stat().st_size > 5000
    before = (out / "4/metrics.jsonl").stat().st_mtime_ns
    assert main([*words, *QUICK]) == 0  # what is there is kept
    assert (out / "4/metrics.jsonl").stat().st_mtime_ns == before
    shown = capsys.readouterr().out
    assert "test error" in shown and ("twice the cases" in shown or "more cases" in shown)
    assert main([*words, *QUICK, "--set", "train.seed=1"]) == 2
    assert "was trained with train.seed=0, not 1; choose another --out" in capsys.readouterr().err


def test_fewer_cases_are_among_more(file):
    splits = dataset_file.read(file).splits
    few, more = splits.fewer(4, 3), splits.fewer(8, 3)
    assert set(few.train) < set(more.train) < set(splits.train)
    assert set(few.train) != set(splits.fewer(4, 4).train)
    assert np.array_equal(few.test, splits.test)
    with pytest.raises(DataError, match=r"train.samples=17: the training split has 16"):
        splits.fewer(17)


def test_too_few_cases_are_refused(tmp_path, capsys):
    path = tmp_path / "own.h5"
    dataset_file.write(path, darcy_like(num=10))
    assert main(["bench", "data", str(path), "--out", str(tmp_path / "c")]) == 2
    assert "6 cases to train on; a learning curve needs 8" in capsys.readouterr().err
    assert not (tmp_path / "c").exists()
