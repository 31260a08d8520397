"""Many samples: worker processes, one random stream per sample, finished samples never lost.

Every sample is stored in a parts folder as soon as it is solved, so that an interrupted job goes
on where it stopped. A draw that cannot be solved is drawn again from its own stream, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from llt.errors import ConfigError, SolverError, unknown
from llt.runtime.workers import in_parallel
from llt.solvers import find_solver
from llt.solvers.base import Solution, sample_rng
from llt.solvers.parts import Parts

MAX_ATTEMPTS = 20


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
    missing = own.claim(range(num))
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
    solve = partial(_solve_part, job, parts=parts)
    try:
        in_parallel(solve, missing, workers=workers, on_done=lambda index, done: on_sample())
    except BrokenProcessPool:
        done_parts = len(list(parts.folder.glob("*.npz")))
        raise SolverError(
            f"a worker process died; {done_parts} finished samples are kept in {parts.folder}, "
            "run the command again with --resume"
        ) from None


def _solve_part(job: Job, index: int, parts: Parts) -> None:
    parts.write(index, solve_one(job, index))
