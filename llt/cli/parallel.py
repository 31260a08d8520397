"""`llt bench parallel`: a step of several processes beside one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.cli.options import FORCE, refuse_existing
from llt.cli.words import numbers
from llt.errors import ConfigError

if TYPE_CHECKING:
    import torch

    from llt.bench.case import Case


def parallel(
    problems: list[str] = typer.Argument(None, help="As darcy elasticity, which is the default."),
    processes: str = typer.Option("1,2", help="Numbers of processes, of one core each."),
    steps: int | None = typer.Option(
        None, min=1, help="Timed steps; the median counts.  [default: 20, on a GPU 200]"
    ),
    dim: int | None = typer.Option(
        None, min=8, help="Width of the model.  [default: 64, on a GPU the preset's]"
    ),
    batch: int = typer.Option(4, min=1, help="Samples in a step."),
    points: int = typer.Option(8000, min=2, help="Of a sample, on point sets."),
    device: str = typer.Option("cpu", help="cpu or cuda: what one GPU can tell."),
    note: str = typer.Option("", help="What a reader of the record has to know besides."),
    out: Path = typer.Option(Path("runs/parallel/record.json"), help="The record."),
    force: bool = FORCE,
) -> None:
    """Time a training step in shares of a batch and in parts of a mesh, on CPU processes.

    Layouts take turns, a step at a time: other load on the machine meets all of them alike.

    On a GPU: a step whose gradients are summed over a group of one process beside one without a
    group, and whether two processes that share the GPU compute what one does.
    """
    from dataclasses import replace

    from llt.bench.record import new_record, write_record
    from llt.cli.display import say
    from llt.runtime.device import find_device

    refuse_existing(out, force)
    target, names = find_device(device), problems or ["darcy", "elasticity"]
    if target.type == "cuda":
        _check_batch(batch, [2])
        title = "Several processes on one GPU: sums over a group of one, and the GPU shared"
        settings: dict[str, Any] = {"steps": steps or 200, "dim": dim, "batch_size": batch}
        results = _on_gpu(_cases(names, points, dim), target, batch, steps or 200)
    else:
        title = "A training step of several processes, one core each, beside one"
        dim, steps = dim or 64, steps or 20
        settings = {"processes": processes, "steps": steps, "dim": dim, "batch_size": batch}
        plan = numbers(processes, "--processes", "1,2")
        results = _on_cpu(_cases(names, points, dim), plan, batch, steps, title)
    record = new_record("parallel", title, target, results, settings)
    write_record(out, replace(record, note=note))
    say(f"{out}: the record")


def _cases(problems: Sequence[str], points: int, dim: int | None) -> Iterator[tuple[str, Case]]:
    """By the names that they have in tables."""
    from llt.bench.parallel import parallel_case

    for problem in problems:
        case = parallel_case(problem, points, dim)
        grid = " x ".join(map(str, case.problem.grid or ()))
        yield f"{problem.capitalize()}, {grid or f'{case.num_points:,} points'}", case


def _on_cpu(
    cases: Iterator[tuple[str, Case]], processes: Sequence[int], batch: int, steps: int, title: str
) -> dict[str, Any]:
    from llt.bench.parallel import layouts, measure_parallel
    from llt.bench.parallel_table import TITLES, parallel_rows
    from llt.bench.tables import plain_table
    from llt.cli.display import say, show

    plan, results = layouts(processes), {}
    _check_batch(batch, [layout.data for layout in plan])
    for name, case in cases:
        say(f"{name}: {len(plan)} layouts, {steps} steps of each in turn")
        found = measure_parallel(case, plan, batch_size=batch, steps=steps)
        results[case.name] = {"title": name, "layouts": found}
    show(plain_table(title, TITLES, parallel_rows(results)))
    return results


def _on_gpu(
    cases: Iterator[tuple[str, Case]], device: torch.device, batch: int, steps: int
) -> dict[str, Any]:
    from llt.bench.one_gpu import SHARED, measure_group, measure_sharing
    from llt.bench.parallel_table import GROUP_TITLES, SHARING_TITLES, group_rows, sharing_rows
    from llt.bench.tables import plain_table
    from llt.cli.display import say, show

    results: dict[str, Any] = {}
    place = f"cuda:{device.index or 0}"  # of its number: processes share it over gloo
    for name, case in cases:
        say(f"{name}: {steps} steps alone and in a group of one, in turns")
        found: dict[str, Any] = {"title": name}
        results[case.name] = found
        found["group of one"] = measure_group(case, device, batch_size=batch, steps=steps)
        show(plain_table("A captured step", GROUP_TITLES, group_rows({name: found})))
        say(f"{name}: {SHARED} steps of one process, and of two which share the GPU")
        found["sharing"] = measure_sharing(case, place, batch_size=batch)
        show(plain_table("Beside one process", SHARING_TITLES, sharing_rows({name: found})))
    return results


def _check_batch(batch: int, shares: list[int]) -> None:
    for number in shares:
        if batch % number:
            raise ConfigError(
                f"--batch {batch}: {number} processes cannot share it evenly; use a multiple"
            )
