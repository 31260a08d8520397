"""From a reference solver to a dataset file: samples are solved, then written one by one."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, astuple, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.dataset_writer import DatasetWriter
from llt.data.sample import Sample
from llt.data.splits import NAMES, Splits
from llt.errors import ConfigError, DataError, SolverError
from llt.problem import Problem, find_problem
from llt.runtime.device import find_device
from llt.runtime.environment import environment
from llt.runtime.files import check_place, remove_abandoned
from llt.runtime.lock import claimed
from llt.solvers import find_batched, find_solver
from llt.solvers.base import Solution, batches
from llt.solvers.generate import Job, all_solved, make_settings, solve_parts
from llt.solvers.parts import Parts

Progress = Callable[[str, int], AbstractContextManager[Callable[[], None]]]

EXISTS = "already exists; choose another -o, or --force to replace it"


def silent(what: str, total: int) -> AbstractContextManager[Callable[[], None]]:
    return nullcontext(lambda: None)


def generate_file(
    problem: str,
    out: Path,
    *,
    counts: tuple[int, int, int],
    seed: int = 0,
    workers: int = 0,
    executor: Executor | None = None,
    device: str = "cpu",
    resume: bool = False,
    force: bool = False,
    settings: dict[str, Any] | None = None,
    progress: Progress = silent,
) -> Dataset:
    """Solve samples for training, validation and testing into a new dataset file.

    Args:
        counts: how many samples the three splits get.
        workers: processes; 0 takes one per core.
        executor: solves the samples, instead of processes made here.
        resume: go on with the samples that an interrupted job has left beside `out`.
        progress: called with a title and a total; what it gives is called for every sample.
    """
    job = planned(problem, out, seed=seed, workers=workers, executor=executor, settings=settings)
    parts = out.with_name(out.name + ".parts")
    if out.exists() and not force:
        if resume and (done := _finished(out, job, counts)):
            if parts.is_dir():
                with claimed(parts):
                    shutil.rmtree(parts, ignore_errors=True)
            return done
        raise ConfigError(f"{out}: {EXISTS}")
    if device != "cpu":
        find_batched(problem)  # refuse a problem that has none before anything is written
        if executor is not None:
            raise ConfigError(f"device {device}: an executor or Dask solves on CPUs; leave it out")
    check_place(out)
    title, num = f"generating {problem}", sum(counts)
    if device != "cpu":
        with progress(title, num) as advance:
            write_file(out, job, _on_gpu(job, num, device, advance), counts, device)
        return dataset_file.read(out)
    with claimed(parts):
        if (parts / "job.json").exists() and not resume:
            raise ConfigError(
                f"{parts}: left by an interrupted job; --resume it or remove the folder"
            )
        remove_abandoned(out.parent, out.name)
        with progress(title, num) as advance:
            own, cores = Parts(parts, asdict(job)), workers or os.cpu_count() or 1
            seconds = solve_parts(
                job, range(num), own, workers=cores, executor=executor, on_sample=advance
            )
            write_file(out, job, Solved(map(own.read, range(num)), seconds), counts, device)
        shutil.rmtree(parts, ignore_errors=True)
    return dataset_file.read(out)


def planned(
    problem: str,
    out: Path,
    *,
    seed: int,
    workers: int,
    executor: Executor | None,
    settings: dict[str, Any] | None,
) -> Job:
    """What is to be generated, if it can be."""
    if out.is_dir():
        raise ConfigError(f"{out}: is a folder; give the file to write")
    if seed < 0:
        raise ConfigError(f"--seed {seed}: must not be negative")
    if workers < 0:
        raise ConfigError(f"--workers {workers}: must not be negative")
    if executor is not None and not isinstance(executor, Executor):
        raise ConfigError(
            f"executor is {type(executor).__name__}, not one of concurrent.futures; "
            "Dask gives one by client.get_executor()"
        )
    if workers and executor is not None:
        raise ConfigError(f"workers {workers}: an executor or Dask has its own; leave them out")
    return Job.of(problem, seed, make_settings(problem, settings or {}))


def _finished(out: Path, job: Job, counts: tuple[int, int, int]) -> Dataset | None:
    """The file, if it is what the job would write: it was stopped when there was nothing left."""
    try:
        data = dataset_file.read(out)
    except DataError:
        return None
    about, sizes = data.provenance, tuple(len(data.splits[name]) for name in NAMES)
    made = [about.get(name) for name in ("solver", "seed", "settings", "solver_version")]
    return data if made == json.loads(json.dumps([*astuple(job)])) and sizes == counts else None


def split_counts(num: int) -> tuple[int, int, int]:
    """So many samples in all, to train, validate and test, 5:1:1."""
    held_out = max(1, round(num / 7))
    return num - 2 * held_out, held_out, held_out


@dataclass
class Solved:
    """Solutions one after the other, and the seconds that a processor took for each."""

    solutions: Iterator[Solution]
    seconds: float | None


def _on_gpu(job: Job, num: int, device: str, advance: Callable[[], None]) -> Solved:
    batched, target = find_batched(job.problem), find_device(device)
    settings = find_solver(job.problem).Settings(**job.settings)
    solved = Solved(iter(()), 0.0)

    def solve(rngs: list[Generator]) -> list[Solution | SolverError]:
        return batched.solve_samples(rngs, settings, device=target)

    def solutions() -> Iterator[Solution]:
        for block in batches(num, batched.BATCH_SIZE):
            start = time.perf_counter()
            found = all_solved(job, block, solve)
            solved.seconds = (solved.seconds or 0.0) + (time.perf_counter() - start) / num
            for solution in found:
                yield solution
                advance()

    solved.solutions = solutions()
    return solved


def write_file(
    out: Path,
    job: Job,
    solved: Solved,
    counts: tuple[int, int, int],
    device: str = "cpu",
) -> None:
    """The dataset of all samples of a job, which come in their order."""
    first = next(solved.solutions)
    problem = find_problem(job.problem)
    if problem.grid is not None:
        problem = replace(problem, grid=first.points.shape[:-1])
    infos = []
    with DatasetWriter(out, problem, times=first.times) as writer:
        for solution in chain([first], solved.solutions):
            infos.append(solution.info)
            writer.add(to_sample(solution, problem))
        records = {name: np.array([info.get(name, 0.0) for info in infos]) for name in first.info}
        writer.finish(
            Splits.consecutive(*counts),
            records=records,
            provenance={
                "source": "generated",
                "solver": job.problem,
                "solver_version": job.version,
                "settings": job.settings,
                "seed": job.seed,
                "redraws": int(records.get("redraws", np.zeros(1)).sum()),
                "seconds_per_sample": solved.seconds,
                "environment": environment(find_device(device)),
            },
        )


def to_sample(solution: Solution, problem: Problem) -> Sample:
    """Named arrays on a mesh as rows of points with channels in the problem's order."""
    points: NDArray[Any] = solution.points.reshape(-1, problem.space_dim)
    count = len(points)

    def channels(fields: dict[str, NDArray[Any]], names: tuple[str, ...]) -> NDArray[Any]:
        if not names:
            return np.empty((count, 0))
        timed = any(fields[name].ndim == solution.points.ndim for name in names)
        # a field that does not change stands beside those that do
        columns = [fields[name].reshape(-1, count) for name in names]  # (1 or T, N)
        stacked = np.stack(np.broadcast_arrays(*columns), axis=-1)
        return stacked if timed else stacked[0]

    weights: dict[str, NDArray[Any]] = solution.weights
    return Sample(
        points=points,
        inputs=channels(solution.inputs, problem.input_names),
        outputs=channels(solution.outputs, problem.output_names),
        masks={name: mask.reshape(-1) for name, mask in solution.masks.items()},
        parameters=np.array([solution.parameters[name] for name in problem.parameter_names]),
        derived=np.array([solution.derived[name] for name in problem.derived_names]),
        weights={name: array.reshape(-1) for name, array in weights.items()},
    )
