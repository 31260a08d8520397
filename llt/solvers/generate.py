"""Many samples: any workers, one random stream per sample, finished samples never lost.

Every sample is stored in a parts folder as soon as it is solved, so that an interrupted job goes
on where it stopped. A draw that cannot be solved is drawn again from its own stream, and counted.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from numpy.random import Generator

from llt.errors import ConfigError, SolverError, unknown
from llt.runtime.workers import in_executor, in_parallel
from llt.solvers import find_solver
from llt.solvers.base import Solution, sample_rng
from llt.solvers.parts import Parts

MAX_ATTEMPTS = 20
SolveMany = Callable[[list[Generator]], list[Solution | SolverError]]


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
    solve_parts(job, range(num), own, workers=workers, on_sample=on_sample)
    return map(own.read, range(num))


def solve_parts(
    job: Job,
    samples: range,
    parts: Parts,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    on_sample: Callable[[], None] = lambda: None,
) -> float | None:
    """Solve what the parts folder lacks of these samples; a processor's seconds for each solved.

    Args:
        executor: solves them, instead of processes made here.
    """
    missing = parts.claim(samples)
    for _ in range(len(samples) - len(missing)):
        on_sample()
    if not missing:
        return None
    if executor is not None:
        return _solve_elsewhere(job, missing, parts, executor, on_sample) / len(missing)
    start = time.perf_counter()
    # where there are many workers, one sample here first: solvers that compile fill their cache
    # once, not in every worker
    for index in missing if workers == 1 else missing[:1]:
        _solve_part(job, index, parts)
        on_sample()
    if workers > 1:
        _solve_parallel(job, missing[1:], parts, workers, on_sample)
    return (time.perf_counter() - start) * workers / len(missing)


def solve_one(job: Job, index: int) -> Solution:
    """Sample `index` of a job, redrawn until it can be solved."""
    solver = find_solver(job.problem)
    settings = solver.Settings(**job.settings)

    def solve(rngs: list[Generator]) -> list[Solution | SolverError]:
        try:
            return [solver.solve_sample(rngs[0], settings, index=index)]
        except SolverError as error:
            return [error]

    return all_solved(job, [index], solve)[0]


def all_solved(job: Job, samples: Sequence[int], solve: SolveMany) -> list[Solution]:
    """Of each sample the first draw that can be solved; draws that failed are replaced together."""
    found: dict[int, Solution] = {}
    for number in range(MAX_ATTEMPTS):
        left = [index for index in samples if index not in found]
        if not left:
            break
        drawn = solve([sample_rng(job.seed, index, number) for index in left])
        for index, result in zip(left, drawn, strict=True):
            if isinstance(result, SolverError):
                last = result
            else:
                result.info["redraws"] = number
                found[index] = result
    for index in samples:
        if index not in found:
            raise SolverError(
                f"{job.problem} sample {index}: {MAX_ATTEMPTS} draws failed, last: {last}"
            )
    return [found[index] for index in samples]


def _solve_parallel(
    job: Job, missing: list[int], parts: Parts, workers: int, on_sample: Callable[[], None]
) -> None:
    solve = partial(_solve_part, job, parts=parts)
    with _deaths_told(parts):
        in_parallel(solve, missing, workers=workers, on_done=lambda index, done: on_sample())


def _solve_part(job: Job, index: int, parts: Parts) -> None:
    parts.write(index, solve_one(job, index))


def _solve_elsewhere(
    job: Job,
    missing: list[int],
    parts: Parts,
    executor: Executor,
    on_sample: Callable[[], None],
) -> float:
    """Workers that may not see this disk give their samples back; the seconds that all took."""
    seconds = 0.0

    def keep(index: int, solved: tuple[Solution, float]) -> None:
        nonlocal seconds
        solution, took = solved
        parts.write(index, solution)
        seconds += took
        on_sample()

    with _deaths_told(parts):
        in_executor(executor, partial(_solve_timed, job), missing, on_done=keep)
    return seconds


def _solve_timed(job: Job, index: int) -> tuple[Solution, float]:
    """On a worker, which may be another machine with another installation."""
    version = find_solver(job.problem).VERSION
    if version != job.version:
        raise ConfigError(
            f"a worker on {socket.gethostname()} has version {version} of the {job.problem} "
            f"solver, not {job.version}; install the same llt there"
        )
    start = time.thread_time()  # others may share the processor
    return solve_one(job, index), time.thread_time() - start


@contextmanager
def _deaths_told(parts: Parts) -> Iterator[None]:
    try:
        yield
    except (BrokenExecutor, CancelledError) as error:
        what = "a worker process died" if isinstance(error, BrokenExecutor) else "the workers left"
        kept = len(list(parts.folder.glob("*.npz")))
        raise SolverError(
            f"{what}; {kept} finished samples are kept in {parts.folder}, "
            "run the command again with --resume"
        ) from None
