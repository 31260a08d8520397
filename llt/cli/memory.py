"""`llt bench memory`: a training step in ways that take less memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from llt.cli.options import FORCE, refuse_existing


def memory(
    points: int = typer.Option(32_186, min=8, help="Of a set of points in space."),
    grid: int = typer.Option(65_536, min=8, help="Of a grid in the plane."),
    share: int = typer.Option(4, min=2, help="One point in so many makes a part."),
    dim: int | None = typer.Option(
        None, min=8, help="Width of the model.  [default: 64, on a GPU the preset's]"
    ),
    device: str = typer.Option("auto", help="auto, cpu or cuda."),
    note: str = typer.Option("", help="What a reader of the record has to know besides."),
    out: Path = typer.Option(Path("runs/memory/record.json"), help="The record."),
    force: bool = FORCE,
) -> None:
    """Time and memory of a training step: whole, with blocks computed twice, on a part."""
    from dataclasses import replace

    from llt.bench.case import matched_case
    from llt.bench.memory import measure_memory
    from llt.bench.memory_table import TITLES, memory_rows
    from llt.bench.parallel import parallel_case
    from llt.bench.record import new_record, write_record
    from llt.bench.tables import plain_table
    from llt.cli.display import say, show
    from llt.runtime.device import find_device

    refuse_existing(out, force)
    target = find_device(device)
    dim = dim or (64 if target.type == "cpu" else None)
    square = matched_case(grid)
    width = {"dim": dim} if dim else {}
    square = replace(square, settings={"llt": {**square.settings["llt"], **width}})
    results: dict[str, Any] = {}
    for kind, case in (("points", parallel_case("car", points, dim)), ("grid", square)):
        title = "points in space" if case.problem.grid is None else "grid"
        say(f"{title}: {case.num_points:,} points")
        results[kind] = {"title": title, "ways": measure_memory(case, device, share=share)}
    title = "A training step of one sample: whole, blocks computed twice, a part of the points"
    show(plain_table(title, TITLES, memory_rows(results)))
    settings = {"points": points, "grid": grid, "share": share, "dim": dim}
    write_record(out, replace(new_record("cost", title, target, results, settings), note=note))
    say(f"{out}: the record")
