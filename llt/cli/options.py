"""Options and arguments that several commands share."""

from __future__ import annotations

import typer

DEVICE = typer.Option("auto", help="auto, cpu or cuda.")
JSON = typer.Option(False, "--json", help="One JSON object on standard output.")
REPLACE = typer.Option(False, "--force", help="Replace an existing file.")
RUN = typer.Argument(..., help="A run folder, a checkpoint or pretrained:NAME.")
