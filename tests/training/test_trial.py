"""A few steps of a training, measured; `llt train --show` tells the rest."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from llt.training import train, trial
from llt.training.config import TrainConfig
from llt.training.setup import prepare

CPU = torch.device("cpu")


def test_memory_is_that_of_the_process_and_not_of_the_one_that_started_it():
    held = np.ones(2**26)  # 512 MiB
    ask = "import torch; from llt.training.trial import peak_memory as ask; "
    ask += "print(ask(torch.device('cpu')))"
    found = subprocess.check_output([sys.executable, "-c", ask])
    assert 2**26 < int(found) < trial.peak_memory(CPU) - held.nbytes / 2


def test_a_slow_step_is_measured_once(darcy_file, monkeypatch):
    monkeypatch.setattr(trial, "SECONDS", 0.0001)
    settings = {"dim": 8, "num_layers": 1}
    found = trial.try_training(
        darcy_file, model="llt", model_settings=settings, config=TrainConfig(), device="cpu"
    )
    assert found.measured_steps == 1
    assert found.epochs == 500


class Ticking:
    """A clock that shows what steps would take: a second for each of their points."""

    def __init__(self, step):
        self.now, run = 0.0, type(step).__call__

        def ticking(own):
            self.now += own.data.at(own.size).num_points
            run(own)

        self.step = type("Step", (type(step),), {"__call__": ticking})

    def __call__(self):
        return self.now


def prepared(data, **settings):
    config = TrainConfig(batch_size=2, **settings)
    sizes = {"dim": 8, "num_layers": 1}
    setup = prepare(data, model="llt", model_settings=sizes, config=config, device=CPU)
    clock = Ticking(setup.step)
    setup.step.__class__ = clock.step
    return setup, clock


def test_steps_on_several_grids_count_as_often_as_they_are_drawn(darcy_data):
    setup, clock = prepared(darcy_data, strides=[1, 2, 2], epochs=40)
    found, fine = trial.measure_steps(setup.step, clock), 9 * 9
    assert found.seconds == pytest.approx((fine + 2 * 5 * 5) / 3)
    assert found.whole == fine
    assert trial._whole(setup.step, setup.val, found) == pytest.approx(
        40 * (4 * found.seconds + 2 / 2 * fine / 3)
    )


def test_a_training_too_short_for_all_grids_is_measured_on_those_it_has(darcy_data):
    setup, clock = prepared(darcy_data, strides=[1, 2, 2, 2, 2, 2, 2, 2, 2], epochs=1)
    found = trial.measure_steps(setup.step, clock)
    assert found.measured == trial.ROUNDS * 9
    assert found.seconds in {25, 81}


def test_measuring_before_the_first_step_changes_nothing(darcy_file, tmp_path):
    config = TrainConfig(epochs=2, batch_size=2, optimizer="muon", average=0.9)
    options = {"model_settings": {"dim": 8, "num_layers": 1}, "config": config, "device": "cpu"}
    told = []

    def announce(found):
        assert not (tmp_path / "told" / "config.toml").exists()  # not a run yet
        told.append(found)

    plain = train(darcy_file, tmp_path / "plain", **options)
    other = train(darcy_file, tmp_path / "told", announce=announce, **options)
    assert [found.epochs for found in told] == [2]
    assert told[0].samples == {"train": 8, "val": 2, "test": 2}
    for part in ("best", "last"):
        first, second = (load_file(r / part / "model.safetensors") for r in (plain, other))
        assert all(torch.equal(first[name], second[name]) for name in first)
