"""A race: who is in it, when a target is reached, and how much sooner."""

from contextlib import nullcontext

import pytest
import torch

from llt.bench import race as races
from llt.bench.contender import Contender
from llt.bench.race import choose, contenders, race, standing, times_sooner
from llt.bench.record import load_record
from llt.errors import ConfigError
from llt.problem import DARCY, ELASTICITY, PIPE
from llt.training.config import TrainConfig
from tests.bench.test_contender import TINY

CPU, CUDA = torch.device("cpu"), torch.device("cuda")


def entry(name="best", epochs=2, model="llt"):
    settings = {"dim": 8, "num_layers": 1, "heads": 2}
    settings |= {"slices": 4} if model == "transolver" else {}
    train = TrainConfig(epochs=epochs)
    return Contender(name=name, title=name, model=model, settings=settings, train=train)


def quiet(_):
    return nullcontext(lambda tick: None)


def test_transolver_is_trained_as_published():
    train = contenders(DARCY, CPU)[2].train
    assert train == TrainConfig(derivative=0.1)  # AdamW 1e-3, decay 1e-5, OneCycle, clip 0.1
    assert not train.augment
    assert contenders(PIPE, CPU)[2].train == TrainConfig()
    assert contenders(ELASTICITY, CPU)[2].train == TrainConfig(batch_size=1)
    assert contenders(DARCY, CPU)[2].settings == {"reference_points": 8}
    on_cuda = contenders(DARCY, CUDA)[2].train
    assert (on_cuda.mode, on_cuda.precision) == ("compile", "bf16")


def test_changes_go_to_the_contender_they_name():
    known = [entry("best"), entry("paper"), entry("transolver", model="transolver")]
    words = {"best": {"model": {}, "train": {"lr": 0.5}}}
    best, rival = choose(known, ["transolver", "best"], {"transolver": 7}, words)
    assert (best.name, best.train.lr, best.train.epochs) == ("best", 0.5, 2)
    assert (rival.name, rival.train.lr, rival.train.epochs) == ("transolver", 1e-3, 7)
    for wrong in ((["bets"], {}, {}), ([], {"bets": 1}, {}), ([], {}, {"bets": {}})):
        with pytest.raises(ConfigError, match="unknown contender 'bets'; did you mean best"):
            choose(known, *wrong)


def test_the_target_is_reached_by_the_first_error_not_above_it(monkeypatch):
    curve = {"seconds": [1.0, 2.0, 3.0, 4.0], "val_error": [0.5, 0.2, 0.1, 0.15]}
    monkeypatch.setattr(races, "outcome", lambda run: {"curve": curve})
    for target, seconds in ((0.3, 2.0), (0.2, 2.0), (0.12, 3.0), (0.01, None)):
        assert standing(TINY, None, target)["seconds_to_target"] == seconds


def test_the_ratio_is_transolvers_best_over_the_target():
    best = {"seconds_to_target": 4.0, "best_seconds": 9.0}
    rival = {"seconds_to_target": None, "best_seconds": 100.0}
    assert times_sooner({"best": best, "transolver": rival}) == 25
    assert times_sooner({"best": best}) is None
    never = {**best, "seconds_to_target": None}
    assert times_sooner({"best": never, "transolver": rival}) is None


def test_record_and_figure_are_there_after_every_contender(darcy_file, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["llt", "bench", "race", "darcy.h5", "--to", "0.5"])
    entries = [entry("best"), entry("transolver", model="transolver")]
    seen = []

    def progress(contender):
        path = tmp_path / "race/record.json"
        seen.append(list(load_record(path).results["contenders"]) if path.exists() else [])
        return nullcontext(lambda tick: None)

    out = tmp_path / "race"
    record = race(darcy_file, entries, out, target=5.0, device="cpu", progress=progress)
    assert seen == [[], ["best"]]
    assert (out / "race.png").stat().st_size > 5000
    found = load_record(out / "record.json")
    assert found.to_dict() == record.to_dict()
    assert found.study == "race"
    assert found.data["splits"] == {"train": 8, "val": 2, "test": 2}
    assert "path" not in found.data
    best, rival = found.results["contenders"].values()
    assert best["seconds_to_target"] == best["curve"]["seconds"][0]  # any error is below 5
    assert found.results["times_sooner"] == rival["best_seconds"] / best["seconds_to_target"]
    assert rival["settings"]["model"]["name"] == "transolver"


def test_a_budget_in_steps_is_one_in_epochs(darcy_file, tmp_path):
    timed = entry("best").changed({"model": {}, "train": {"steps": 6}})
    told = []

    def progress(contender):
        told.append(contender.train.epochs)
        return quiet(contender)

    for _ in range(2):  # the second finds a folder with as many epochs
        race(darcy_file, [timed], tmp_path, target=0.1, device="cpu", progress=progress)
    assert told == [3, 3]


def test_what_cannot_be_raced_is_refused_before_anything_is_trained(darcy_file, tmp_path):
    entries = [entry("paper"), entry("best")]
    race(darcy_file, entries[1:], tmp_path, target=0.1, device="cpu", progress=quiet)
    with pytest.raises(ConfigError, match="--to 0: expected an error above 0"):
        race(darcy_file, entries, tmp_path, target=0, device="cpu", progress=quiet)
    longer = [entries[0], entry("best", epochs=3)]
    with pytest.raises(ConfigError, match=r"best: was trained with train.epochs=2, not 3"):
        race(darcy_file, longer, tmp_path, target=0.1, device="cpu", progress=quiet)
    assert not (tmp_path / "paper").exists()
