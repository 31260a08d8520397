"""Train a model on a dataset file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.choice import Choice
from llt.errors import ConfigError

if TYPE_CHECKING:
    from llt.training.config import TrainConfig


def run(
    data: Path | None = typer.Argument(None, help="A dataset file."),
    model: str = typer.Option("llt", help="Which model."),
    recipe: str | None = typer.Option(
        None, help="best, or paper for the paper's network and training.  [default: best]"
    ),
    preset: str | None = typer.Option(None, help="Sizes by name; default: the problem's own."),
    out: Path | None = typer.Option(None, help="The run folder; default: runs/NAME."),
    resume: Path | None = typer.Option(None, help="Continue this interrupted run."),
    config: Path | None = typer.Option(None, help="A TOML file with [model] and [train]."),
    device: str = typer.Option("auto", help="auto, cpu or cuda."),
    set_: list[str] = typer.Option(
        [], "--set", help="A setting, as train.lr=1e-3 or model.dim=64."
    ),
) -> None:
    """Train a model on a dataset file into a new run folder."""
    from llt.cli.display import say, training
    from llt.training import run as runs
    from llt.training.loop import Interrupted

    try:
        with training() as listener:
            if resume is not None:
                if recipe or preset or config or set_ or out:
                    raise ConfigError("--resume goes on with the run's own settings; give it alone")
                folder = runs.resume(resume, data_path=data, device=device, listener=listener)
            else:
                choice = Choice(model, recipe, preset, config, set_)
                folder = _new_run(data, choice, out, device, listener)
    except Interrupted as stop:
        say(f"stopped by {stop}; go on with: llt train --resume {stop.out}")
        raise typer.Exit(128 + stop.signum) from None
    say(f"{folder}: done; next: llt evaluate {folder}, llt report {folder}")


def _new_run(
    data: Path | None, choice: Choice, out: Path | None, device: str, listener: Any
) -> Path:
    from llt.training import run as runs

    if data is None:
        raise ConfigError("give a dataset file, or --resume RUN")
    recipe, settings, config = resolve(data, choice)
    return runs.train(
        data,
        out or Path("runs") / data.stem,
        model=choice.model,
        model_settings=settings,
        config=config,
        recipe=recipe,
        device=device,
        listener=listener,
    )


def resolve(data: Path, choice: Choice) -> tuple[str, dict[str, Any], TrainConfig]:
    """The settings of a training on a dataset file, see `llt.choice`."""
    from llt import choice as choices
    from llt.data import dataset_file

    return choices.resolve(dataset_file.read(data).problem, choice)
