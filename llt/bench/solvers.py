"""The reference solvers: seconds per sample on one core, beside a plain alternative, with workers.

Times on one core are processor seconds in a process of its own with one thread; times of many
workers are wall time, against one worker in the same run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from statistics import median
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from llt.bench.rivals import find_rival
from llt.errors import SolverError
from llt.solvers import find_batched, find_solver, sample_rng
from llt.solvers.base import Solution, batches

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SECONDS_EACH = 6.0  # of work per worker


def measure_solver(problem: str, *, samples: int, compared: int) -> dict[str, Any]:
    with _pool(1) as pool:
        return pool.submit(measure_here, problem, None, samples, compared).result()


def measure_workers(problem: str, workers: int) -> dict[str, float]:
    """Seconds per sample with one worker and with many."""
    with _pool(1) as pool:
        _wall(pool, problem, 1)  # imports, and fills compilation caches
        one = _wall(pool, problem, 3) / 3
    each = max(2, int(SECONDS_EACH / one))
    with _pool(workers) as pool:
        _wall(pool, problem, 2 * workers)
        many = _wall(pool, problem, workers * each) / (workers * each)
    return {"workers": workers, "one_s": one, "many_s": many, "speedup": one / many}


def measure_batch(problem: str, samples: int, device: str) -> dict[str, float]:
    """In batches on a GPU, from random numbers to samples in host memory, compilation included."""
    settings, batched = find_solver(problem).Settings(), find_batched(problem)
    torch.zeros(1, device=device)  # the device has started
    start = perf_counter()
    found: list[Solution | SolverError] = []
    for block in batches(samples, batched.BATCH_SIZE):
        rngs = [sample_rng(0, index) for index in block]
        found += batched.solve_samples(rngs, settings, device=device)
    seconds = perf_counter() - start
    refused = sum(not isinstance(result, Solution) for result in found)
    return {"samples": samples, "seconds": seconds, "refused": refused}


def measure_here(problem: str, settings: Any, samples: int, compared: int) -> dict[str, Any]:
    """In this process, with as many threads as it has."""
    solver, rival = find_solver(problem), find_rival(problem)
    settings = settings or solver.Settings()
    solver.solve_sample(sample_rng(0, 0), settings)  # compiles and reads what is read once
    found, seconds = [], []
    for index in range(samples):
        start = process_time()
        try:
            found.append(solver.solve_sample(sample_rng(0, index), settings))
        except SolverError:
            continue
        seconds.append(process_time() - start)
    trials = [rival.compare(index, settings) for index in range(compared)]
    ours, plain = (
        median(getattr(trial, name) for trial in trials) for name in ("ours_s", "plain_s")
    )
    return {
        "seconds": spread(seconds),
        "failed": samples - len(found),
        "solver": {name: spread([s.info[name] for s in found]) for name in found[0].info},
        "fields": {name: _field([s.outputs[name] for s in found]) for name in found[0].outputs},
        "comparison": {
            "plain": rival.PLAIN,
            "ours_s": ours,
            "plain_s": plain,
            "speedup": plain / ours,
            "deviation": max(trial.deviation for trial in trials),
        },
    }


def spread(values: Sequence[float]) -> list[float]:
    """Smallest, median and largest."""
    return [float(f(values)) for f in (np.min, np.median, np.max)]


def _field(values: Sequence[Any]) -> dict[str, list[float]]:
    parts: dict[str, Any] = {"smallest": np.min, "mean": np.mean, "largest": np.max}
    return {name: spread([f(value) for value in values]) for name, f in parts.items()}


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh interpreters of one thread each."""
    fresh = get_context("spawn")
    with patch.dict(os.environ, ONE_THREAD), ProcessPoolExecutor(workers, fresh) as pool:
        yield pool


def _wall(pool: ProcessPoolExecutor, problem: str, count: int) -> float:
    start = perf_counter()
    list(pool.map(_solve, [problem] * count, range(count)))
    return perf_counter() - start


def _solve(problem: str, index: int) -> None:
    solver = find_solver(problem)
    with suppress(SolverError):  # a draw that cannot be solved takes its time, too
        solver.solve_sample(sample_rng(0, index), solver.Settings())
