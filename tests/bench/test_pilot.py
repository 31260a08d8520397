"""Epochs that fit a time."""

import pytest

from llt.bench import pilot
from llt.bench.pilot import fit_time, seconds_per_epoch
from llt.training.trial import Pace
from tests.bench.test_contender import TINY


@pytest.mark.parametrize(("seconds", "epochs"), [(10.0, 4), (9.9, 3), (0.1, 1)])
def test_as_many_epochs_as_fit_and_one_at_least(seconds, epochs, monkeypatch):
    monkeypatch.setattr(pilot, "seconds_per_epoch", lambda entry, data: 2.5)
    fitted = fit_time(TINY, None, seconds)
    assert fitted.train.epochs == epochs
    assert fitted.settings == TINY.settings


def test_an_epoch_is_its_steps_and_a_validation(darcy_data, monkeypatch):
    worked = iter([100.0, 101.0])  # around the validation
    monkeypatch.setattr(pilot, "measure_steps", lambda step, clock: Pace(3, 2.5, 2.5))
    monkeypatch.setattr(pilot, "_worked", lambda: next(worked))
    # 8 samples in batches of 4
    assert seconds_per_epoch(TINY, darcy_data) == 2 * 2.5 + 1
