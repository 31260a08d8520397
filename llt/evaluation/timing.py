"""How long a prediction takes: alone, as a user asks, and in batches, as the device allows.

A prediction is of one sample, on timed problems at one time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import torch

from llt.data.sample import Floats
from llt.data.sources import Source
from llt.surrogate import Surrogate
from llt.training.validation import items_together, predicted

BATCHES = 8  # that are timed
Question = tuple[Floats, Floats, float | None]  # x, a, t


def seconds_alone(
    surrogate: Surrogate, questions: Sequence[Question], *, symmetrize: bool = False
) -> float:
    """Median time of one `predict` call, from arrays to arrays, neighbor search included."""
    seconds = []
    for x, a, t in [questions[0], *questions]:  # the first call warms up
        start = _now(surrogate.device)
        surrogate.predict(x, a, t, symmetrize=symmetrize, check=False)
        seconds.append(_now(surrogate.device) - start)
    return float(np.median(seconds[1:]))


def seconds_in_batches(surrogate: Surrogate, source: Source) -> float:
    """Mean time of a prediction in batches that are on the device already, with their graphs."""
    device = surrogate.device
    groups = torch.arange(source.num_items, device=device).split(items_together(surrogate, source))
    seconds, known = [], set()
    for items in groups[:BATCHES]:
        batch = source.batch(items)
        # every size is captured or warmed up at its first use
        for _ in range(1 if len(items) in known else 2):
            start = _now(device)
            predicted(surrogate, batch, source.problem.grid)
            taken = _now(device) - start
        known.add(len(items))
        seconds.append(taken)
    return sum(seconds) / sum(map(len, groups[:BATCHES]))


def _now(device: torch.device) -> float:
    """The time when all that was asked of the device is done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()
