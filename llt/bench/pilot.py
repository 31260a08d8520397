"""A few steps timed beforehand, so that a training ends when its time is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import torch

from llt.bench.contender import Contender
from llt.data.dataset import Dataset
from llt.models import build_model
from llt.surrogate import Surrogate
from llt.training.step import TrainingStep
from llt.training.validation import sample_errors

STEPS = 4  # timed after a first one


def fit_time(entry: Contender, data: Dataset, seconds: float) -> Contender:
    """With as many epochs as fit the time on the CPU, validation included; one at least.

    Seconds are those that a processor works, so that other jobs beside do not count.
    """
    return entry.changed(
        {"model": {}, "train": {"epochs": max(1, int(seconds / seconds_per_epoch(entry, data)))}}
    )


def seconds_per_epoch(entry: Contender, data: Dataset) -> float:
    config = replace(entry.train, epochs=1)
    torch.manual_seed(config.seed)
    network = build_model(entry.model, data.problem, **entry.settings)
    surrogate = Surrogate.fit(network, data, mean_field=config.mean_field)
    step = TrainingStep(surrogate, surrogate.source(data, data.split("train")), config)
    val = surrogate.source(data, data.split("val"))

    def one_step() -> None:
        step.start_epoch(0)
        surrogate.model.train()
        step()

    one_step()
    steps = [_seconds(one_step) for _ in range(STEPS)]
    validation = _seconds(lambda: sample_errors(surrogate, val))
    return step.steps_per_epoch * sum(steps) / STEPS + validation


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) / torch.get_num_threads()
