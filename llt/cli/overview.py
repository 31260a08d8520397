"""What `llt train` tells: before it begins what was chosen and how long it takes, in a few lines;
with `--show` every setting and where it comes from, size, time and memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llt.choice import Choice
    from llt.data.dataset import Dataset
    from llt.fitting import Room
    from llt.problem import Problem
    from llt.training.config import TrainConfig
    from llt.training.trial import Trial

Row = dict[str, Any]  # value, from, about
LONG = 7200.0  # seconds: who has to wait longer is told of a shorter way


def overview(data: Path, choice: Choice, out: Path, device: str) -> dict[str, Any]:
    """All about a training that is not begun."""
    from llt.choice import model_of, resolve, start_of
    from llt.data import dataset_file
    from llt.fitting import Room
    from llt.training.trial import try_training

    known = dataset_file.read(data)
    problem, room = known.problem, Room.of(known, device)
    recipe, model_settings, config = resolve(problem, choice, room)
    model = model_of(choice)
    trial = try_training(
        data,
        model=model,
        model_settings=model_settings,
        config=config,
        device=device,
        start=start_of(choice),
    )
    # names that do not exist are refused by now
    settings = settings_with_origin(problem, choice, room)
    if config.steps and trial.epochs != config.epochs:
        settings["train"]["epochs"] |= {"value": trial.epochs, "from": "train.steps"}
    return {
        "file": str(data),
        "problem": problem.describe(),
        "model": model,
        "recipe": recipe,
        "out": str(out),
        "settings": settings,
        **trial.to_dict(),
    }


def settings_with_origin(
    problem: Problem, choice: Choice, room: Room | None = None
) -> dict[str, dict[str, Row]]:
    """By section and name: the value, where it comes from, and what it means."""
    from llt.choice import layers, model_of
    from llt.cli.comments import settings_of
    from llt.models import MODELS
    from llt.training.config import TrainConfig
    from llt.training.settings import merge

    found: dict[str, dict[str, Row]] = {}
    for section, owner in (("model", MODELS[model_of(choice)]), ("train", TrainConfig)):
        rows = {s.name: _row(s.default, "default", s.about) for s in settings_of(owner)}
        found[section] = rows
    given = [{section: _values(rows) for section, rows in found.items()}]
    for number, (origin, settings) in enumerate(layers(problem, choice, room)):
        given.append(settings)
        for section, values in merge(*given).items():
            for name, value in values.items():
                row = found[section][name]
                # the first ones are complete: what they leave alone is not theirs
                named = number > 2 and name in settings[section]
                if named or row["value"] != value:
                    row |= {"value": value, "from": origin}
    return found


def _row(value: Any, origin: str, about: str) -> Row:
    value = list(value) if isinstance(value, tuple) else value
    return {"value": value, "from": origin, "about": about}


def _values(rows: dict[str, Row]) -> dict[str, Any]:
    return {name: row["value"] for name, row in rows.items()}


def overview_lines(about: dict[str, Any]) -> list[str]:
    from llt.cli.comments import plain

    rows = [
        (f"{section}.{name}", plain(row["value"]), row["from"], row["about"])
        for section, named in about["settings"].items()
        for name, row in named.items()
    ]
    wide = [max(len(row[column]) for row in rows) + 2 for column in range(3)]
    table = ["".join(f"{row[i]:<{wide[i]}}" for i in range(3)) + row[3] for row in rows]
    return [
        about["problem"],
        f"{about['model']} with recipe {about['recipe']}, into {about['out']}",
        *([about["from"]] if about["from"] else []),
        "",
        *(line.rstrip() for line in table),
        "",
        *_numbers(about),
    ]


def beginning(data: Dataset, choice: Choice, trial: Trial, out: Path, device: str) -> list[str]:
    """What was chosen for a training that begins now, and the time to its end."""
    from llt.choice import model_of, recipe_of
    from llt.cli.comments import plain
    from llt.fitting import Room

    about, problem = trial.to_dict(), data.problem
    rows = settings_with_origin(problem, choice, Room.of(data, device))
    chosen = [
        f"{section}.{name}={plain(row['value'])}"
        for section, named in rows.items()
        for name, row in named.items()
        if row["from"] != "default"
    ]
    numbers = [line for line in _numbers(about) if not line.startswith(("device", "parameters"))]
    return [
        problem.describe(),
        f"{model_of(choice)} with recipe {recipe_of(choice)}, into {out}: {' '.join(chosen)}",
        *([about["from"]] if about["from"] else []),
        *numbers,
    ]


def advice(data: Dataset, choice: Choice, trial: Trial) -> list[str]:
    """What else might be asked for: steps in time, logarithms of wide fields, less time."""
    from llt.choice import resolve
    from llt.data.logarithm import wide_fields

    config = resolve(data.problem, choice)[2]
    wide = {name: span for name, span in wide_fields(data).items() if name not in config.log}
    if config.history:  # changes have none
        wide = {name: span for name, span in wide.items() if name not in data.problem.output_names}
    lines = _about_frames(data, config)
    lines += [
        f"{name} spans {span:.1f} decades: --log {name} learns its logarithm"
        for name, span in wide.items()
    ]
    if trial.seconds > LONG:
        lines.append("--minutes 60 would end after an hour")
    return lines


def _about_frames(data: Dataset, config: TrainConfig) -> list[str]:
    """Which of two ways a time series is learned, and what the other one is."""
    from llt.data.frames import Frames
    from llt.presets import preset_name

    if data.times is None or (not config.history and preset_name(data.problem)):
        return []
    if config.history:
        other = "train.history=0 learns them by their time t instead"
        return [f"{Frames.of(data, config.history)}, and rolled out; {other}"]
    return [
        f"{len(data.times)} frames, each predicted from its time t; --set train.history=1 learns "
        "the step from frame to frame instead, and rolls out"
    ]


def _numbers(about: dict[str, Any]) -> list[str]:
    from llt.cli.display import duration

    samples = ", ".join(f"{number} {name}" for name, number in about["samples"].items())
    memory = about["memory_bytes"]
    step, unit = about["seconds_per_step"], "s"
    if step < 1:
        step, unit = 1e3 * step, "ms"
    lines = {
        "samples": samples,
        "parameters": f"{about['parameters']:,}",
        "steps": f"{about['steps']:,}: {about['epochs']} epochs of {about['steps_per_epoch']}",
        "device": f"{about['device']} in {about['precision']}; {about['kernels']}",
        "time": f"about {duration(about['seconds'])}: {step:.3g} {unit} per step, measured on "
        f"{about['measured_steps']} steps",
        "memory": "unknown" if memory is None else f"{memory / 2**30:.2f} GiB at its peak",
    }
    return [f"{name:<12}{line}" for name, line in lines.items()]
