"""What is timed: predictions alone, and per time where there are times."""

import numpy as np
import pytest
import torch

from llt.evaluation import timing
from llt.models import build_model
from llt.surrogate import Surrogate
from tests.conftest import ragged
from tests.data.kinds import timed

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


@pytest.fixture
def clock(monkeypatch):
    """A clock that only work moves forward."""
    now = [0.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])
    return now


def slow(surrogate, clock, monkeypatch):
    """Every prediction takes a second per case, the first of its size ten more."""
    known = set()

    def predict(x, a, **rest):
        clock[0] += len(x) + (0 if len(x) in known else 10)
        known.add(len(x))

    monkeypatch.setattr(surrogate, "predict_batch", predict, raising=False)


@pytest.mark.parametrize("make", [timed, ragged], ids=["timed", "ragged"])
def test_batches_are_timed_per_prediction_without_warm_up_and_preparation(make, clock, monkeypatch):
    data = make()
    surrogate = Surrogate.fit(build_model("llt", data.problem, **MODEL), data)
    source = surrogate.source(data, data.split("train"))
    slow(surrogate, clock, monkeypatch)
    given = source.batch

    def batch(items):
        clock[0] += 1000
        return given(items)

    monkeypatch.setattr(source, "batch", batch)
    assert source.num_items == (3 * 6 if make is timed else 5)
    assert timing.seconds_in_batches(surrogate, source) == pytest.approx(1.0)


def test_one_prediction_is_the_median_of_calls_after_the_first(clock):
    class Slow:
        device = torch.device("cpu")
        seconds = iter([100.0, 1.0, 2.0, 30.0])

        def predict(self, x, a, t, **rest):
            clock[0] += next(self.seconds)

    x = np.zeros((3, 2), np.float32)
    assert timing.seconds_alone(Slow(), [(x, x, None)] * 3) == 2.0
