"""A few steps of a training, measured; `llt train --show` tells the rest."""

from llt.training import trial
from llt.training.config import TrainConfig


def test_a_slow_step_is_measured_once(darcy_file, monkeypatch):
    monkeypatch.setattr(trial, "SECONDS", 0.0001)
    settings = {"dim": 8, "num_layers": 1}
    found = trial.try_training(
        darcy_file, model="llt", model_settings=settings, config=TrainConfig(), device="cpu"
    )
    assert found.measured_steps == 1
    assert found.epochs == 500
