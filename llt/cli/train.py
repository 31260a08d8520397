"""Train a model on a dataset file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.choice import Choice
from llt.cli.options import DEVICE
from llt.cli.words import words
from llt.errors import ConfigError, unknown

if TYPE_CHECKING:
    from llt.runtime.team import Team
    from llt.training.config import TrainConfig


def run(
    data: Path | None = typer.Argument(None, help="A dataset file."),
    model: str | None = typer.Option(
        None, help="Which model; llt models lists them.  [default: llt]"
    ),
    recipe: str | None = typer.Option(
        None, help="best, or paper for the paper's network and training.  [default: best]"
    ),
    preset: str | None = typer.Option(
        None, help="Sizes by name, see llt recipes; default: the problem's own."
    ),
    start: str | None = typer.Option(
        None, "--from", help="Begin with the weights of a run or of pretrained:NAME."
    ),
    out: Path | None = typer.Option(None, help="The run folder; default: runs/NAME."),
    resume: Path | None = typer.Option(None, help="Continue this interrupted run."),
    config: Path | None = typer.Option(
        None, help="A TOML file with [model] and [train], as a run's config.toml."
    ),
    device: str = DEVICE,
    set_: list[str] = typer.Option(
        [], "--set", help="A setting, as train.lr=1e-3 or model.dim=64; --show lists them."
    ),
    log: str = typer.Option(
        "", help="Fields above zero that span decades, as p,k: learned as logarithms."
    ),
    minutes: float | None = typer.Option(
        None, help="Train for about so long instead of the recipe's steps."
    ),
    show: bool = typer.Option(
        False, "--show", help="Settings, size, time and memory of this training; nothing is kept."
    ),
    json_: bool = typer.Option(False, "--json", help="With --show: one JSON object."),
) -> None:
    """Train a model on a dataset file into a new run folder."""
    from llt.cli.display import say, training
    from llt.runtime.place import find_place
    from llt.runtime.team import shares, team_of
    from llt.training import run as runs
    from llt.training.loop import Interrupted

    if log:
        set_ = [*set_, f"train.log={json.dumps(words(log))}"]
    set_, numbers = _parallel(set_)
    shares(find_place(), **numbers)  # refused before any work
    choice = Choice(model, recipe, preset, config, set_, start=start)
    if minutes is not None and resume is None:
        _check_alone(f"--minutes {minutes:g}", "give --set train.epochs or train.steps")
        choice = _within(minutes, _given(data), choice, device)
    if show or json_:
        if resume or not show:
            raise ConfigError("--show is of a new training, --json of --show")
        _check_alone("--show", "begin it without a launcher")
        _show(_given(data), choice, out, device, json_)
        return
    if resume and (model or recipe or preset or config or set_ or out or start or minutes):
        raise ConfigError("--resume goes on with the run's own settings; give it alone")
    with team_of(**numbers, device=device) as (team, place), _first_heard(team):
        try:
            with training() as listener:
                if resume is not None:
                    folder = runs.resume(
                        resume, data_path=data, device=place, listener=listener, team=team
                    )
                else:
                    folder = _new_run(_given(data), choice, out, place, listener, team)
        except Interrupted as stop:
            say(f"stopped by {stop}; go on with: llt train --resume {stop.out}")
            raise typer.Exit(128 + stop.signum) from None
        say(f"{folder}: done; next: llt evaluate {folder}, llt report {folder}")


def _parallel(words: list[str]) -> tuple[list[str], dict[str, int]]:
    """The settings without those of how processes share the work, and these."""
    numbers: dict[str, int] = {}
    for word in words:
        if not word.strip().startswith("parallel."):
            continue
        name, _, number = word.strip().removeprefix("parallel.").partition("=")
        if name not in ("data", "domain"):
            raise ConfigError(f"--set {word}: {unknown('setting', name, ('data', 'domain'))}")
        if not number.strip().isdigit():
            raise ConfigError(f"--set {word}: expected a number of processes, as parallel.data=2")
        numbers[name] = int(number)
    return [word for word in words if not word.strip().startswith("parallel.")], numbers


def _check_alone(option: str, instead: str) -> None:
    """What a step takes is measured in one process."""
    from llt.runtime.place import find_place

    place = find_place()
    if place is not None and place.size > 1:
        raise ConfigError(
            f"{option}: times the steps of one process, here are {place.size}; {instead}"
        )


@contextmanager
def _first_heard(team: Team) -> Iterator[None]:
    """Of several processes only the first one says how it goes."""
    with ExitStack() as stack:
        if not team.is_first:
            nowhere = stack.enter_context(Path(os.devnull).open("w"))
            stack.enter_context(redirect_stderr(nowhere))
            stack.enter_context(redirect_stdout(nowhere))
        yield


def _given(data: Path | None) -> Path:
    if data is None:
        raise ConfigError("give a dataset file, or --resume RUN")
    return data


def _within(minutes: float, data: Path, choice: Choice, device: str) -> Choice:
    from llt.choice import settings_within
    from llt.data import dataset_file
    from llt.fitting import Room

    for word in choice.words:
        if word.startswith(("train.epochs=", "train.steps=")):
            raise ConfigError(f"--minutes {minutes:g} and --set {word}: give one of them")
    known = dataset_file.read(data)
    room = Room.of(known, device)
    problem = known.problem
    found = settings_within(minutes, data, choice, problem=problem, room=room, device=device)
    return choice.changed(found)


def _show(data: Path, choice: Choice, out: Path | None, device: str, json_: bool) -> None:
    from llt.cli.overview import overview, overview_lines

    about = overview(data, choice, out or _own_folder(data), device)
    if json_:
        print(json.dumps(about))
    else:
        print(*overview_lines(about), sep="\n")


def _new_run(
    data: Path, choice: Choice, out: Path | None, device: str, listener: Any, team: Team
) -> Path:
    from llt.choice import model_of, start_of
    from llt.training import run as runs

    out = out or _own_folder(data)
    recipe, settings, config = resolve(data, choice, device, team)
    return runs.train(
        data,
        out,
        model=model_of(choice),
        model_settings=settings,
        config=config,
        recipe=recipe,
        device=device,
        listener=listener,
        start=start_of(choice),
        announce=_announcing(data, choice, out, device, listener),
        team=team,
    )


def _announcing(data: Path, choice: Choice, out: Path, device: str, listener: Any) -> Any:
    """Tell what was chosen and how long it takes, where the progress is told."""
    from llt.cli.overview import advice, beginning
    from llt.data import dataset_file
    from llt.training.loop import Tick
    from llt.training.trial import Trial

    def announce(trial: Trial) -> None:
        known = dataset_file.read(data)
        lines = [*beginning(known, choice, trial, out, device), *advice(known, choice, trial)]
        note = "\n".join(lines)
        listener(Tick(0, trial.epochs, 0, trial.steps_per_epoch, note=note))

    return announce


def _own_folder(data: Path) -> Path:
    """Where a run goes if nothing else is said."""
    return Path("runs") / data.stem


def resolve(
    data: Path, choice: Choice, device: str = "auto", team: Team | None = None
) -> tuple[str, dict[str, Any], TrainConfig]:
    """The settings of a training on a dataset file, see `llt.choice`."""
    from llt import choice as choices
    from llt.data import dataset_file
    from llt.fitting import Room
    from llt.runtime.place import find_place

    known, launched = dataset_file.read(data), find_place()
    room = Room.of(known, device).shared(launched.local_size if launched else 1)
    if team is not None:  # what is free here is not what is free there, nor a moment later
        room = replace(room, memory=team.least(room.memory), host=team.least(room.host))
    return choices.resolve(known.problem, choice, room)
