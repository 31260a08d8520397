"""Make a dataset file of a folder of simulation results."""

from __future__ import annotations

from pathlib import Path

import typer

from llt.cli.options import REPLACE


def run(
    folder: Path = typer.Argument(
        ..., help="A file or a subfolder for every case; or one file of stacked arrays."
    ),
    out: Path = typer.Option(..., "-o", "--out", help="The HDF5 file to write."),
    outputs: str = typer.Option(
        "", help="Fields to learn: p,U; p@wall where p is on a patch only."
    ),
    inputs: str | None = typer.Option(None, help="Fields, or patches, that the model is given."),
    params: str | None = typer.Option(
        None, help="A CSV or TOML file with numbers of every case, or none."
    ),
    points: bool | None = typer.Option(None, "--points/--cells", help="Point or cell data."),
    masks: str | None = typer.Option(None, help="Patches to keep as sets of points, or of cells."),
    axes: str | None = typer.Option(None, help="xyz, or the plane: xy, xz, yz."),
    grid: bool | None = typer.Option(None, help="Whether the points are a structured grid."),
    time: str | None = typer.Option(None, help="all times of every case, or its last."),
    files: str | None = typer.Option(None, help="Names of files to read, as '*.vtu'."),
    steps: bool | None = typer.Option(None, help="Whether a_1.vtu, a_2.vtu are times of one case."),
    name: str | None = typer.Option(None, help="Of the problem; by default the folder's."),
    plan: Path | None = typer.Option(None, help="A TOML file as llt inspect FOLDER -o writes it."),
    seed: int = typer.Option(0, help="Draws the cases that validate and test."),
    workers: int = typer.Option(0, help="Processes; 0 takes one per core."),
    resume: bool = typer.Option(False, "--resume", help="Go on with an interrupted job."),
    force: bool = REPLACE,
    append: bool = typer.Option(
        False, "--append", help="Add cases that the file does not have yet."
    ),
    skip_bad: bool = typer.Option(False, "--skip-bad", help="Leave out cases that cannot be used."),
) -> None:
    """Make a dataset of a folder of simulation results."""
    from llt.cli.display import counting, say, stoppable
    from llt.data.folder.choice import Choice, read_choice
    from llt.preparation.prepare import prepare_folder

    said = Choice(
        name=name,
        files=_names(files),
        steps=steps,
        location=None if points is None else "points" if points else "cells",
        axes=axes,
        grid=grid,
        time=time,
        inputs=_names(inputs),
        outputs=_names(outputs or None),
        masks=_names(masks),
        table=params,
    )
    if plan is not None:
        said = read_choice(plan).changed(said)
    with stoppable("the same command with --resume goes on"):
        data = prepare_folder(
            folder,
            out,
            said,
            seed=seed,
            workers=workers,
            resume=resume,
            force=force,
            append=append,
            skip_bad=skip_bad,
            progress=counting,
            tell=say,
        )
    counts = ", ".join(f"{len(data.splits[part])} {part}" for part in ("train", "val", "test"))
    say(f"{out}: {data.problem.describe()}, {len(data)} samples: {counts}; hash {data.hash}")


def _names(text: str | None) -> tuple[str, ...] | None:
    from llt.cli.words import words

    return None if text is None else words(text)
