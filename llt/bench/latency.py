"""Time of predictions of the usual sizes, from arrays to arrays: one case, and many in one call.

Weights are random. Captured predictions are first compared with eager ones. The search for
neighbors is part of the time on point sets, and is also timed by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from unittest.mock import patch

import numpy as np
import torch

from llt.bench.case import Case, problem_case
from llt.bench.synthetic import random_dataset
from llt.bench.timing import peak_memory
from llt.models import build_model
from llt.prediction import cache
from llt.surrogate import Floats, Surrogate

Row = dict[str, float | None]
EAGER = 20  # repetitions, which are slow


def measure_latency(problem: str, cases: int, device: torch.device, repetitions: int = 100) -> Row:
    """One prediction of a problem in the size of its preset, and `cases` of them in one call."""
    surrogate, x, a = _prepared(problem_case(problem), cases)
    surrogate.to(device)
    one = x[0], a[0]
    with patch.object(cache, "capture_on", lambda device: None):
        eager = [surrogate.predict(x[:5], a[:5]), surrogate.predict(*one)]
        eager_ms = _milliseconds(lambda: surrogate.predict(*one), min(repetitions, EAGER))
    for _ in range(3):  # eagerly, captured, replayed
        captured = [surrogate.predict(x[:5], a[:5]), surrogate.predict(*one)]
    points = one[0].reshape(-1, one[0].shape[-1])
    row: Row = {
        "cases": cases,
        "difference": max(map(_difference, captured, eager)),
        "one_eager_ms": eager_ms,
        "one_ms": _milliseconds(lambda: surrogate.predict(*one), repetitions),
        "neighbors_ms": _milliseconds(lambda: surrogate.graph(points), min(repetitions, EAGER)),
    }
    surrogate.to(device)  # without graphs, so that their memory counts
    with peak_memory(device) as peak:
        surrogate.predict(x, a)
    row["many_mib"] = peak.mib
    row["many_ms_each"] = _milliseconds(lambda: surrogate.predict(x, a), 3) / cases
    return row


def _prepared(case: Case, cases: int) -> tuple[Surrogate, Floats, Floats]:
    """An untrained surrogate and inputs shaped as a user has them."""
    data, problem = random_dataset(case, cases), case.problem
    torch.manual_seed(0)
    network = build_model("llt", problem, **case.settings["llt"])
    lead = (cases, *(problem.grid or (case.num_points,)))
    samples = [data.sample(index) for index in range(cases)]
    x = np.stack([sample.points for sample in samples]).reshape(*lead, -1)
    a = np.stack([sample.inputs for sample in samples]).reshape(*lead, problem.in_channels)
    return Surrogate.fit(network, data), x, a


def _milliseconds(work: Callable[[], object], repetitions: int) -> float:
    """Median; a prediction ends on the host, so nothing is still running."""
    times = []
    for _ in range(repetitions):
        start = perf_counter()
        work()
        times.append((perf_counter() - start) * 1e3)
    return median(times)


def _difference(found: Floats, expected: Floats) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())
