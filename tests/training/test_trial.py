"""A few steps of a training, measured; `llt train --show` tells the rest."""

import torch
from safetensors.torch import load_file

from llt.training import train, trial
from llt.training.config import TrainConfig


def test_a_slow_step_is_measured_once(darcy_file, monkeypatch):
    monkeypatch.setattr(trial, "SECONDS", 0.0001)
    settings = {"dim": 8, "num_layers": 1}
    found = trial.try_training(
        darcy_file, model="llt", model_settings=settings, config=TrainConfig(), device="cpu"
    )
    assert found.measured_steps == 1
    assert found.epochs == 500


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
