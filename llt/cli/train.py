"""Train a model on a dataset file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.errors import ConfigError, DataError

if TYPE_CHECKING:
    from llt.training.config import TrainConfig


def run(
    data: Path | None = typer.Argument(None, help="A dataset file."),
    model: str = typer.Option("llt", help="Which model."),
    preset: str | None = typer.Option(None, help="Settings by name; default: the problem's own."),
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
                if preset or config or set_ or out:
                    raise ConfigError("--resume goes on with the run's own settings; give it alone")
                folder = runs.resume(resume, data_path=data, device=device, listener=listener)
            else:
                folder = _new_run(data, model, preset, out, config, device, set_, listener)
    except Interrupted as stop:
        say(f"stopped by {stop}; go on with: llt train --resume {stop.out}")
        raise typer.Exit(128 + stop.signum) from None
    say(f"{folder}: done; next: llt evaluate {folder}, llt report {folder}")


def _new_run(
    data: Path | None,
    model: str,
    preset: str | None,
    out: Path | None,
    config: Path | None,
    device: str,
    words: list[str],
    listener: Any,
) -> Path:
    from llt.training import run as runs

    if data is None:
        raise ConfigError("give a dataset file, or --resume RUN")
    settings = resolve(data, model, preset, config, words)
    return runs.train(
        data,
        out or Path("runs") / data.stem,
        model=model,
        model_settings=settings[0],
        config=settings[1],
        device=device,
        listener=listener,
    )


def resolve(
    data: Path, model: str, preset: str | None, config: Path | None, words: list[str]
) -> tuple[dict[str, Any], TrainConfig]:
    """Preset, then the TOML file, then single settings."""
    from llt.presets import find_preset, problem_preset
    from llt.training.config import TrainConfig
    from llt.training.settings import merge, parse_words, read_toml

    found = find_preset(preset, model) if preset else problem_preset(_problem_name(data), model)
    layers: list[Any] = [{"model": found.model, "train": found.train.to_dict()}]
    if config is not None:
        layers.append(read_toml(config))
    layers.append(parse_words(words))
    merged = merge(*layers)
    return merged["model"], TrainConfig.from_dict(merged["train"])


def _problem_name(data: Path) -> str:
    import json

    import h5py

    if not data.is_file():
        raise DataError(f"{data}: no such file")
    try:
        with h5py.File(data) as file:
            return str(json.loads(file.attrs["problem"])["name"])
    except (OSError, KeyError):
        return ""  # reading the file will say what is wrong with it
