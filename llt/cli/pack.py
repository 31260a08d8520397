"""Pack a run into small weights with a card."""

from __future__ import annotations

from pathlib import Path

import typer


def run(
    run: Path = typer.Argument(..., help="A finished run that has been evaluated."),
    out: Path = typer.Option(..., "-o", "--out", help="The folder to write."),
    limits: str = typer.Option(
        "", help="A sentence on where the weights are valid; by default what they were trained on."
    ),
    data: Path | None = typer.Option(None, help="The run's dataset file, where it has moved."),
    force: bool = typer.Option(False, "--force", help="Replace an existing folder."),
) -> None:
    """Pack a run: weights in 16 bits, half the size, with a card that says what they are."""
    from llt.cli.display import say
    from llt.packing import pack

    card = pack(run, out, limits=limits, data_path=data, force=force)
    size = (out / "model.safetensors").stat().st_size / 2**20
    say(f"{out}: {size:.2f} MiB, {card.weights['deviation']:.1e} from the run's predictions")
