"""Import published benchmark files into a dataset file."""

from __future__ import annotations

from pathlib import Path

import typer

from llt.errors import ConfigError


def run(
    problem: str = typer.Argument(..., help="airfoil, darcy, elasticity, pipe or plasticity."),
    folder: Path = typer.Argument(..., help="The folder with the published files."),
    out: Path = typer.Option(..., "-o", "--out", help="The HDF5 file to write."),
    force: bool = typer.Option(False, help="Replace an existing file."),
    set_: list[str] = typer.Option(
        [],
        "--set",
        help="darcy: resolution=85; pipe: test=canonical or test=last; "
        "plasticity: scrambled_positions=true, as the public scripts have them.",
    ),
) -> None:
    """Import published benchmark files, with the literature's splits."""
    from llt.cli.display import say
    from llt.cli.generate import parse_settings
    from llt.data import dataset_file
    from llt.data.published import read_published

    if out.exists() and not force:
        raise ConfigError(f"{out}: already exists; choose another -o, or --force to replace it")
    data = read_published(problem, folder, **parse_settings(set_))
    dataset_file.write(out, data)
    for about in data.provenance["files"]:
        say(f"{about['name']}: {about['shape']} {about['dtype']}, sha256 {about['sha256'][:16]}")
    say(f"{out}: {data.problem.describe()}, {len(data)} samples, hash {data.hash}")
