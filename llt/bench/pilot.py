"""A few steps timed beforehand, so that a training ends when its time is over."""

from __future__ import annotations

import time

import torch

from llt.bench.contender import Contender
from llt.data.dataset import Dataset
from llt.training.setup import prepare
from llt.training.trial import measure_steps
from llt.training.validation import sample_errors


def fit_time(entry: Contender, data: Dataset, seconds: float) -> Contender:
    """With as many epochs as fit the time on the CPU, validation included; one at least.

    Seconds are those that a processor works, so that other jobs beside do not count.
    """
    return entry.changed(
        {"model": {}, "train": {"epochs": max(1, int(seconds / seconds_per_epoch(entry, data)))}}
    )


def seconds_per_epoch(entry: Contender, data: Dataset) -> float:
    setup = prepare(
        data,
        model=entry.model,
        model_settings=entry.settings,
        config=entry.train,
        device=torch.device("cpu"),
    )
    pace = measure_steps(setup.step, clock=_worked)
    start = _worked()
    sample_errors(setup.step.surrogate, setup.val)
    return setup.step.steps_per_epoch * pace.seconds + _worked() - start


def _worked() -> float:
    """Seconds that each thread has worked."""
    return time.process_time() / torch.get_num_threads()
