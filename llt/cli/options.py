"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path

import typer

from llt.errors import ConfigError

DEVICE = typer.Option("auto", help="auto, cpu or cuda.")
JSON = typer.Option(False, "--json", help="One JSON object on standard output.")
FORCE = typer.Option(False, "--force", help="Replace an earlier record.")
REPLACE = typer.Option(False, "--force", help="Replace an existing file.")
RUN = typer.Argument(..., help="A run folder, a checkpoint or pretrained:NAME.")


def refuse_existing(record: Path, force: bool) -> None:
    """What was measured before is kept."""
    if record.exists() and not force:
        raise ConfigError(
            f"{record}: an earlier record; choose another --out, or --force to replace it"
        )
