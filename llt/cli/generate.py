"""Generate a dataset with a reference solver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.errors import ConfigError

if TYPE_CHECKING:
    from llt.data.dataset import Dataset
    from llt.solvers.base import Solution
    from llt.solvers.generate import Job

DEFAULT_NUM = "1000,200,200"


def run(
    problem: str = typer.Argument(..., help="Which problem: darcy"),
    out: Path = typer.Option(..., "-o", "--out", help="The HDF5 file to write."),
    num: str = typer.Option(
        DEFAULT_NUM, help="Samples: TRAIN,VAL,TEST, or one number to be split 5:1:1."
    ),
    seed: int = typer.Option(0, help="Sample i of a seed is always the same."),
    workers: int = typer.Option(0, help="Processes; 0 takes one per core."),
    device: str = typer.Option("cpu", help="cpu or cuda (darcy)."),
    resume: bool = typer.Option(False, help="Go on with an interrupted job."),
    force: bool = typer.Option(False, help="Replace an existing file."),
    set_: list[str] = typer.Option([], "--set", help="A solver setting, NAME=VALUE."),
) -> None:
    """Generate a dataset with a reference solver."""
    from llt.cli.display import say

    data = generate_file(
        problem,
        out,
        counts=parse_counts(num),
        seed=seed,
        workers=workers,
        device=device,
        resume=resume,
        force=force,
        settings=parse_settings(set_),
    )
    say(f"{out}: {data.problem.describe()}, {len(data)} samples, hash {data.hash}")


def generate_file(
    problem: str,
    out: Path,
    *,
    counts: tuple[int, int, int],
    seed: int = 0,
    workers: int = 0,
    device: str = "cpu",
    resume: bool = False,
    force: bool = False,
    settings: dict[str, Any] | None = None,
) -> Dataset:
    import os
    import shutil
    import time

    from llt.data import dataset_file
    from llt.solvers.generate import Job, make_settings

    if out.exists() and not force:
        raise ConfigError(f"{out}: already exists; choose another -o, or --force to replace it")
    if seed < 0:
        raise ConfigError(f"--seed {seed}: must not be negative")
    job = Job.of(problem, seed, make_settings(problem, settings or {}))
    parts = out.with_name(out.name + ".parts")
    if parts.exists() and not resume:
        raise ConfigError(f"{parts}: left by an interrupted job; --resume it or remove the folder")
    start = time.perf_counter()
    workers = workers or os.cpu_count() or 1
    solved = sum(counts) - len(list(parts.glob("*.npz")))
    if device == "cpu":
        solutions = _on_cpu(job, sum(counts), parts, workers)
    else:
        solutions, workers = _on_gpu(job, sum(counts), device), 1
    elapsed = time.perf_counter() - start
    seconds = elapsed * workers / solved if solved > 0 else None
    data = _assemble(job, solutions, counts, seconds, device)
    dataset_file.write(out, data)
    shutil.rmtree(parts, ignore_errors=True)
    return data


def parse_counts(text: str) -> tuple[int, int, int]:
    """`1000,200,200`, or `140` split 5:1:1."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) == 1 and numbers[0] >= 3:
        held_out = max(1, round(numbers[0] / 7))
        numbers = [numbers[0] - 2 * held_out, held_out, held_out]
    if len(numbers) != 3 or min(numbers) < 1:
        raise ConfigError(f"--num {text}: expected TRAIN,VAL,TEST or one number of at least 3")
    return numbers[0], numbers[1], numbers[2]


def parse_settings(words: list[str]) -> dict[str, Any]:
    from llt.training.settings import parse_value

    settings = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise ConfigError(f"--set {word}: expected NAME=VALUE")
        settings[name.strip()] = parse_value(text)
    return settings


def _on_cpu(job: Job, num: int, parts: Path, workers: int) -> list[Solution]:
    from llt.cli.display import counting
    from llt.solvers.generate import generate

    with counting(f"generating {job.problem}", num) as advance:
        return generate(job, num, parts, workers=workers, on_sample=advance)


def _on_gpu(job: Job, num: int, device: str) -> list[Solution]:
    if job.problem != "darcy":
        raise ConfigError(f"--device {device}: only darcy has a GPU solver; use cpu")
    from llt.errors import SolverError
    from llt.runtime.device import find_device
    from llt.solvers import darcy, darcy_torch, sample_rng
    from llt.solvers.generate import solve_one

    rngs = [sample_rng(job.seed, index) for index in range(num)]
    found = darcy_torch.solve_samples(
        rngs, darcy.Settings(**job.settings), device=find_device(device)
    )
    # the rare draw that fails is drawn again as the CPU would
    return [
        solve_one(job, i) if isinstance(result, SolverError) else result
        for i, result in enumerate(found)
    ]


def _assemble(
    job: Job,
    solutions: list[Solution],
    counts: tuple[int, int, int],
    seconds: float | None,
    device: str,
) -> Dataset:
    """Put samples and their provenance into a dataset."""
    from dataclasses import replace

    import numpy as np

    from llt.data.collate import collate
    from llt.data.dataset import Sample
    from llt.data.splits import Splits
    from llt.problem import find_problem
    from llt.runtime.device import find_device
    from llt.runtime.environment import environment

    problem = find_problem(job.problem)
    if problem.grid is not None:
        problem = replace(problem, grid=solutions[0].points.shape[:-1])

    def rows(fields: dict[str, Any], names: tuple[str, ...], count: int) -> Any:
        columns = [fields[name].reshape(-1) for name in names]
        return np.stack(columns, axis=-1) if columns else np.empty((count, 0))

    samples = []
    for solution in solutions:
        points: Any = solution.points.reshape(-1, problem.space_dim)
        samples.append(
            Sample(
                points,
                rows(solution.inputs, problem.input_names, len(points)),
                rows(solution.outputs, problem.output_names, len(points)),
            )
        )
    names = solutions[0].info.keys()
    records = {name: np.array([s.info.get(name, 0.0) for s in solutions]) for name in names}
    return collate(
        problem,
        samples,
        Splits.consecutive(*counts),
        records=records,
        provenance={
            "source": "generated",
            "solver": job.problem,
            "solver_version": job.version,
            "settings": job.settings,
            "seed": job.seed,
            "redraws": int(records.get("redraws", np.zeros(1)).sum()),
            "seconds_per_sample": seconds,
            "environment": environment(find_device(device)),
        },
    )
