"""A contender is trained once, goes on where it stopped, and is not mixed up with another."""

import json
from dataclasses import replace

import pytest

from llt.bench import contender
from llt.bench.contender import Contender, check_same, outcome, train_contender
from llt.data import dataset_file
from llt.errors import ConfigError
from llt.training.config import TrainConfig
from llt.training.state import is_complete

TINY = Contender(
    name="tiny",
    title="Tiny",
    model="llt",
    settings={"dim": 8, "num_layers": 1, "heads": 2},
    train=TrainConfig(epochs=3, checkpoint_seconds=0),
    recipe="paper",
)


class KilledError(Exception):
    pass


def kill_in_second_epoch(tick):
    if tick.epoch == 1 and tick.position == 1:
        raise KilledError


@pytest.fixture
def finished(darcy_file, tmp_path):
    train_contender(TINY, darcy_file, tmp_path / "run", device="cpu")
    return tmp_path / "run"


def test_outcome_is_curve_best_and_test_error(finished):
    found = outcome(finished)
    lines = (finished / "metrics.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert found["curve"] == {
        "seconds": [row["seconds"] for row in rows],
        "val_error": [row["val_error"] for row in rows],
    }
    # nothing is learned in three epochs: the mean of the training set, from before, may be best
    best = json.loads((finished / "evaluation.json").read_text())["checkpoint"]
    best["seconds"] = {0: 0.0, **{row["epoch"]: row["seconds"] for row in rows}}[best["epoch"]]
    assert best["val_error"] <= min(row["val_error"] for row in rows)
    assert (found["recipe"], TINY.recipe) == ("paper", "paper")
    assert (found["best_val_error"], found["best_epoch"], found["best_seconds"]) == (
        best["val_error"],
        best["epoch"],
        best["seconds"],
    )
    evaluation = json.loads((finished / "evaluation.json").read_text())
    assert found["test_error"] == evaluation["relative_l2"]
    assert evaluation["split"] == "test"
    assert found["settings"]["model"]["dim"] == 8
    assert found["startup_seconds"] >= 0


def test_the_mean_field_is_there_before_the_first_step(darcy_file, tmp_path):
    worse = TINY.changed({"model": {}, "train": {"mean_field": True, "lr": 10.0, "epochs": 1}})
    train_contender(worse, darcy_file, tmp_path / "run", device="cpu")
    found = outcome(tmp_path / "run")
    assert (found["best_epoch"], found["best_seconds"]) == (0, 0.0)
    assert found["best_val_error"] < found["curve"]["val_error"][0]


def test_a_finished_one_is_left_alone(finished, darcy_file, monkeypatch):
    assert is_complete(finished)
    for name in ("train", "resume", "evaluate"):
        monkeypatch.setattr(contender, name, None)
    train_contender(TINY, darcy_file, finished, device="cpu")


def test_an_interrupted_one_goes_on(finished, darcy_file, tmp_path):
    run = tmp_path / "again"
    with pytest.raises(KilledError):
        train_contender(TINY, darcy_file, run, device="cpu", listener=kill_in_second_epoch)
    assert not is_complete(run)
    startup = (run / "startup.json").read_text()
    train_contender(TINY, darcy_file, run, device="cpu")
    assert outcome(run)["curve"]["val_error"] == outcome(finished)["curve"]["val_error"]
    assert (run / "startup.json").read_text() == startup  # that of the first start


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": {"dim": 16}, "train": {}}, "was trained with model.dim=8, not 16"),
        ({"model": {}, "train": {"epochs": 5}}, "was trained with train.epochs=3, not 5"),
    ],
)
def test_other_settings_are_refused(finished, darcy_file, change, message):
    data_hash = dataset_file.read(darcy_file).hash
    check_same(TINY, data_hash, finished)
    with pytest.raises(ConfigError, match=message):
        check_same(TINY.changed(change), data_hash, finished)
    with pytest.raises(ConfigError, match=r"model.name=llt, not fno"):
        check_same(replace(TINY, model="fno"), data_hash, finished)


def test_other_data_are_refused(finished):
    with pytest.raises(ConfigError, match=r"was trained on data .* the file has 0123"):
        check_same(TINY, "0123", finished)


def test_a_change_keeps_the_other_settings():
    changed = TINY.changed({"model": {"heads": 4}, "train": {"lr": 0.5}})
    assert changed.settings == {"dim": 8, "num_layers": 1, "heads": 4}
    assert changed.train == replace(TINY.train, lr=0.5)
    with pytest.raises(ConfigError, match="unknown setting of train 'lrr'"):
        TINY.changed({"model": {}, "train": {"lrr": 1}})
