"""Generate a dataset with a reference solver."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.cli.options import REPLACE
from llt.errors import ConfigError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from llt.job_array import Part

DEFAULT_NUM = "1000,200,200"


def run(
    problem: str = typer.Argument(..., help="airfoil, car, darcy, elasticity, pipe, plasticity."),
    out: Path | None = typer.Option(None, "-o", "--out", help="The HDF5 file to write."),
    num: str = typer.Option(
        DEFAULT_NUM, help="Samples: TRAIN,VAL,TEST, or one number to be split 5:1:1."
    ),
    seed: int = typer.Option(0, help="Sample i of a seed is always the same."),
    workers: int = typer.Option(0, help="Processes; 0 takes one per core."),
    dask: str = typer.Option(
        "", metavar="ADDRESS", help="Solve on the Dask cluster with its scheduler there."
    ),
    part: str = typer.Option(
        "", metavar="K/N", help="Only part K of 1 to N, in a folder for llt join; for job arrays."
    ),
    device: str = typer.Option("cpu", help="cpu or cuda (car, darcy, plasticity)."),
    resume: bool = typer.Option(False, "--resume", help="Go on with an interrupted job."),
    force: bool = REPLACE,
    set_: list[str] = typer.Option(
        [], "--set", help="A solver setting, NAME=VALUE; --show lists them."
    ),
    show: bool = typer.Option(False, "--show", help="List the solver's settings and exit."),
) -> None:
    """Generate a dataset with a reference solver."""
    from llt.cli.display import stoppable
    from llt.job_array import Part

    if show:
        _show_settings(problem, parse_settings(set_))
        return
    if out is None:
        raise ConfigError("give the file to write: -o FILE")
    if part and device != "cpu":
        raise ConfigError(f"--part {part}: parts are solved on CPUs; leave out --device {device}")
    chosen = Part.parse(part) if part else None
    options: dict[str, Any] = {
        "counts": parse_counts(num),
        "seed": seed,
        "workers": workers,
        "resume": resume,
        "force": force,
        "settings": parse_settings(set_),
    }
    kept = "the same command with --resume goes on" if device == "cpu" else "nothing is kept"
    with stoppable(kept), _executor(dask) as executor:
        options["executor"] = executor
        if chosen:
            _generate_part(problem, out, chosen, options)
        else:
            _generate_file(problem, out, device, options)


def _executor(dask: str) -> AbstractContextManager[Executor | None]:
    from llt.runtime.cluster import dask_executor

    return dask_executor(dask) if dask else nullcontext()


def _generate_file(problem: str, out: Path, device: str, options: dict[str, Any]) -> None:
    from llt.cli.display import counting, say
    from llt.generation import generate_file

    data = generate_file(problem, out, device=device, progress=counting, **options)
    say(f"{out}: {data.problem.describe()}, {len(data)} samples, hash {data.hash}")


def _generate_part(problem: str, out: Path, part: Part, options: dict[str, Any]) -> None:
    from llt.cli.display import counting, say
    from llt.job_array import generate_part

    folder = generate_part(problem, out, part, progress=counting, **options)
    samples = part.samples(sum(options["counts"]))
    say(f"{folder}: part {part}, {len(samples)} samples; llt join takes all {part.of} parts")


def _show_settings(problem: str, changed: dict[str, Any]) -> None:
    """The solver's settings, with those that were given in place of their defaults."""
    from dataclasses import replace

    from llt.cli.comments import setting_lines, settings_of
    from llt.solvers.generate import make_settings

    values = make_settings(problem, changed)
    settings = [replace(s, default=getattr(values, s.name)) for s in settings_of(type(values))]
    print(f"Settings of the {problem} solver, changed with --set NAME=VALUE")
    print(*setting_lines(settings), sep="\n")


def parse_counts(text: str) -> tuple[int, int, int]:
    """`1000,200,200`, or `140` split 5:1:1."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) == 1 and numbers[0] >= 3:
        from llt.generation import split_counts

        numbers = [*split_counts(numbers[0])]
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
