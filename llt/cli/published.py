"""Import published benchmark files into a dataset file."""

from __future__ import annotations

from pathlib import Path

import typer

from llt.cli.options import REPLACE
from llt.errors import ConfigError


def run(
    problem: str = typer.Argument(..., help="airfoil, car, darcy, elasticity, pipe or plasticity."),
    folder: Path = typer.Argument(..., help="The folder with the published files."),
    out: Path = typer.Option(..., "-o", "--out", help="The HDF5 file to write."),
    force: bool = REPLACE,
    set_: list[str] = typer.Option(
        [],
        "--set",
        help="car: validation_share=0.05 of every training fold; darcy: resolution=85; "
        "pipe: test=canonical or test=last; "
        "plasticity: scrambled_positions=true, as the public scripts have them.",
    ),
) -> None:
    """Import published benchmark files, with the literature's splits."""
    from llt.cli.display import counting, say
    from llt.cli.generate import parse_settings
    from llt.data.published import import_published

    if out.exists() and not force:
        raise ConfigError(f"{out}: already exists; choose another -o, or --force to replace it")
    data = import_published(problem, folder, out, progress=counting, **parse_settings(set_))
    for about in data.provenance["files"]:
        say(f"{about['name']}: {about['shape']} {about['dtype']}, sha256 {about['sha256'][:16]}")
    skipped = data.provenance.get("skipped")
    if skipped:
        say(f"left out, since a file is missing: {len(skipped)} ({', '.join(skipped)})")
    say(f"{out}: {data.problem.describe()}, {len(data)} samples, hash {data.hash}")
