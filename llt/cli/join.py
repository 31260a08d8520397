"""Join the parts of a dataset that a job array has generated."""

from __future__ import annotations

from pathlib import Path

import typer

from llt.cli.options import REPLACE


def run(
    parts: list[Path] = typer.Argument(
        ..., help="The folders of llt generate --part, all of them."
    ),
    out: Path = typer.Option(..., "-o", "--out", help="The HDF5 file to write."),
    force: bool = REPLACE,
) -> None:
    """Put the parts of a job array together: the file that one process would have written.

    Parts of different settings, missing or given twice are refused. They stay where they are.
    """
    from llt.cli.display import counting, say, stoppable
    from llt.job_array import join_parts

    with stoppable("the same command begins anew"):
        data = join_parts(parts, out, force=force, progress=counting)
    say(f"{out}: {data.problem.describe()}, {len(data)} samples, hash {data.hash}")
