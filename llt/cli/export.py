"""Write a run as a file that runs without llt."""

from __future__ import annotations

from pathlib import Path

import typer

from llt.cli.options import REPLACE


def run(
    run: str = typer.Argument(..., help="A run, a checkpoint, or pretrained:NAME."),
    out: Path = typer.Option(..., "-o", "--out", help="The file to write, as model.onnx."),
    format_: str | None = typer.Option(
        None, "--format", help="pt2 (PyTorch) or onnx; default: as the file is called."
    ),
    force: bool = REPLACE,
) -> None:
    """Write a surrogate as one file that runs without llt, in physical units."""
    import llt
    from llt.cli.display import say
    from llt.errors import ConfigError
    from llt.export import export

    if out.exists() and not force:
        raise ConfigError(f"{out}: already exists; choose another -o, or --force")
    made = export(llt.load(run), out, format_)
    size, worst = out.stat().st_size / 2**20, max(made.differences)
    asks = ", ".join(made.about["inputs"])
    say(f"{out}: {size:.1f} MiB, asks for {asks}; at three sizes {worst:.0e} from the surrogate")
