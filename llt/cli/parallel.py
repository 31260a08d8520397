"""`llt bench parallel`: a step of several processes beside one."""

from __future__ import annotations

from pathlib import Path

import typer

from llt.cli.words import numbers
from llt.errors import ConfigError


def parallel(
    problems: list[str] = typer.Argument(None, help="As darcy elasticity, which is the default."),
    processes: str = typer.Option("1,2", help="Numbers of processes, of one core each."),
    steps: int = typer.Option(20, min=1, help="Timed steps of every layout; the median counts."),
    dim: int = typer.Option(64, min=8, help="Width of the model; the rest is the preset's."),
    batch: int = typer.Option(4, min=1, help="Samples in a step."),
    points: int = typer.Option(8000, min=2, help="Of a sample, on point sets."),
    note: str = typer.Option("", help="What a reader of the record has to know besides."),
    out: Path = typer.Option(Path("runs/parallel/record.json"), help="The record."),
    force: bool = typer.Option(False, "--force", help="Replace an earlier record."),
) -> None:
    """Time a training step in shares of a batch and in parts of a mesh, on CPU processes.

    Layouts take turns, a step at a time: other load on the machine meets all of them alike.
    """
    from dataclasses import replace

    from llt.bench.parallel import layouts, measure_parallel, parallel_case
    from llt.bench.parallel_table import TITLES, parallel_rows
    from llt.bench.record import new_record, write_record
    from llt.bench.tables import plain_table
    from llt.cli.display import say, show
    from llt.runtime.device import find_device

    if out.exists() and not force:
        raise ConfigError(f"{out}: an earlier record; choose another --out, or --force")
    plan = layouts(numbers(processes, "--processes", "1,2"))
    _check_batch(batch, [layout.data for layout in plan])
    results = {}
    for problem in problems or ("darcy", "elasticity"):
        case = parallel_case(problem, points, dim)
        grid = " x ".join(map(str, case.problem.grid or ()))
        title = f"{problem.capitalize()}, {grid or f'{case.num_points:,} points'}"
        say(f"{title}: {len(plan)} layouts, {steps} steps of each in turn")
        found = measure_parallel(case, plan, batch_size=batch, steps=steps)
        results[problem] = {"title": title, "layouts": found}
    title = "A training step of several processes, one core each, beside one"
    settings = {"processes": processes, "steps": steps, "dim": dim, "batch_size": batch}
    record = new_record("parallel", title, find_device("cpu"), results, settings)
    write_record(out, replace(record, note=note))
    show(plain_table(title, TITLES, parallel_rows(results)))
    say(f"{out}: the record")


def _check_batch(batch: int, shares: list[int]) -> None:
    for number in shares:
        if batch % number:
            raise ConfigError(
                f"--batch {batch}: {number} processes cannot share it evenly; use a multiple"
            )
