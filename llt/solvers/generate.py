"""Many samples: worker processes, one random stream per sample, finished samples never lost.

Every sample is stored in a parts folder as soon as it is solved, so that an interrupted job goes
on where it stopped. A draw that cannot be solved is drawn again from its own stream, and counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from llt.errors import ConfigError, SolverError, unknown
from llt.runtime.signals import requests_to_stop
from llt.runtime.workers import work_for
from llt.solvers import find_solver
from llt.solvers.base import Solution, sample_rng
from llt.solvers.parts import Parts

MAX_ATTEMPTS = 20
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """What to generate. Two jobs that compare equal give the same samples."""

    problem: str
    seed: int
    settings: dict[str, Any]
    version: int

    @classmethod
    def of(cls, problem: str, seed: int, settings: Any) -> Job:
        return cls(problem, seed, asdict(settings), find_solver(problem).VERSION)


def make_settings(problem: str, words: dict[str, Any]) -> Any:
    """The solver's settings with some changed; unknown names and wrong types are errors."""
    cls = find_solver(problem).Settings
    defaults = asdict(cls())
    for name, value in words.items():
        if name not in defaults:
            raise ConfigError(unknown(f"setting of the {problem} solver", name, defaults))
        kind = type(defaults[name])
        if kind is float and type(value) is int:
            words = words | {name: float(value)}
        elif type(value) is not kind:
            raise ConfigError(f"{name}={value!r} must be of type {kind.__name__}")
    return cls(**words)


def generate(
    job: Job,
    num: int,
    parts: Path,
    *,
    workers: int = 1,
    on_sample: Callable[[], None] = lambda: None,
) -> Iterator[Solution]:
    """Samples 0 to num - 1, from the parts folder where they are there already.

    All are solved before the first is given out; they are loaded one at a time.
    """
    own = Parts(parts, asdict(job))
    missing = own.claim(num)
    for _ in range(num - len(missing)):
        on_sample()
    if workers == 1:
        for index in missing:
            _solve_part(job, index, own)
            on_sample()
    elif missing:
        # one sample here first: solvers that compile fill their cache once, not in every worker
        _solve_part(job, missing[0], own)
        on_sample()
        _solve_parallel(job, missing[1:], own, workers, on_sample)
    return map(own.read, range(num))


def solve_one(job: Job, index: int) -> Solution:
    """Sample `index` of a job, redrawn until it can be solved."""
    solver = find_solver(job.problem)
    settings = solver.Settings(**job.settings)
    for attempt in range(MAX_ATTEMPTS):
        try:
            rng = sample_rng(job.seed, index, attempt)
            solution = solver.solve_sample(rng, settings, index=index)
        except SolverError as error:
            last = error
            continue
        solution.info["redraws"] = attempt
        return solution
    raise SolverError(f"{job.problem} sample {index}: {MAX_ATTEMPTS} draws failed, last: {last}")


def _solve_parallel(
    job: Job, missing: list[int], parts: Parts, workers: int, on_sample: Callable[[], None]
) -> None:
    todo, running = iter(missing), set[Future[None]]()
    with (
        _one_thread_each(),
        requests_to_stop() as stopped,
        # a fresh interpreter per worker: forking a process that runs threads can hang
        ProcessPoolExecutor(
            workers, get_context("spawn"), initializer=work_for, initargs=(os.getpid(),)
        ) as pool,
    ):
        try:
            while not stopped:
                # a few ahead, so that no worker waits and a stop has little to wait for
                ahead = islice(todo, 2 * workers - len(running))
                running |= {pool.submit(_solve_part, job, index, parts) for index in ahead}
                if not running:
                    return
                done, running = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                    on_sample()
        except BrokenProcessPool:
            done_parts = len(list(parts.folder.glob("*.npz")))
            raise SolverError(
                f"a worker process died; {done_parts} finished samples are kept in {parts.folder}, "
                "run the command again with --resume"
            ) from None
        for future in running:
            future.cancel()
        raise KeyboardInterrupt


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Workers already fill the cores; more threads in each would only get in the way."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _solve_part(job: Job, index: int, parts: Parts) -> None:
    parts.write(index, solve_one(job, index))
