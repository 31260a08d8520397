"""Time to accuracy: contenders trained one after another on the same data and device.

A contender has reached the target after the first epoch whose validation error is not above it;
`contender` says what its seconds count. Every contender has a run folder in the folder of the
race, so a race that was stopped goes on, and one more contender costs only its own training:

record.json  for each contender its curve, start-up, time to the target, best and test error
race.png     validation error over seconds
NAME/        the run folder of a contender
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from llt.bench.contender import Contender, check_same, outcome, read, train_contender
from llt.bench.figures import png
from llt.bench.race_report import race_figure
from llt.bench.record import Record, new_record, write_record
from llt.bench.timing import release_memory
from llt.data import dataset_file
from llt.errors import ConfigError, unknown
from llt.presets import Preset
from llt.problem import Problem
from llt.recipes import recipe_preset
from llt.runtime.device import find_device
from llt.runtime.files import write_bytes
from llt.training.loop import Listener
from llt.training.settings import Settings

FAST, RIVAL = "best", "transolver"
Progress = Callable[[Contender], AbstractContextManager[Listener]]


def contenders(problem: Problem, device: torch.device) -> list[Contender]:
    """LLT with both recipes, and Transolver as its authors train it."""
    return [
        *(
            Contender.of(
                name, f"LLT ({name})", recipe_preset(name, problem), model="llt", recipe=name
            )
            for name in (FAST, "paper")
        ),
        Contender.of(RIVAL, "Transolver", _transolver(problem, device), model=RIVAL),
    ]


def _transolver(problem: Problem, device: torch.device) -> Preset:
    """The paper's sizes and batches are those of Transolver's authors; the rest is theirs here.

    On CUDA it runs in the way that is fastest there: compiled, products in bf16.
    """
    preset, on_cuda = recipe_preset("paper", problem, RIVAL), device.type == "cuda"
    train = replace(
        preset.train,
        schedule="onecycle",
        derivative=0.1 if problem.name == "darcy" else 0.0,
        mode="compile" if on_cuda else "auto",
        precision="bf16" if on_cuda else "auto",
    )
    return replace(preset, train=train)


def choose(
    known: Sequence[Contender],
    only: Sequence[str],
    epochs: Mapping[str, int],
    settings: Mapping[str, Settings],
) -> list[Contender]:
    """Those asked for, with the changes that are meant for them."""
    names = [contender.name for contender in known]
    for name in (*only, *epochs, *settings):
        if name not in names:
            raise ConfigError(unknown("contender", name, names))
    chosen = []
    for contender in known:
        if only and contender.name not in only:
            continue
        if contender.name in settings:
            contender = contender.changed(settings[contender.name])
        if contender.name in epochs:
            contender = contender.changed(
                {"model": {}, "train": {"epochs": epochs[contender.name]}}
            )
        chosen.append(contender)
    return chosen


def race(
    data: Path,
    entries: Sequence[Contender],
    out: Path,
    *,
    target: float,
    device: str = "auto",
    progress: Progress,
) -> Record:
    """Train the entries one after another; after each, record and figure are on the disk."""
    if not target > 0:
        raise ConfigError(f"--to {target}: expected an error above 0, as 0.0044")
    found, place = dataset_file.read(data), find_device(device)
    num_samples = len(found.split("train"))
    entries = [replace(entry, train=entry.train.with_budget(num_samples)) for entry in entries]
    for entry in entries:
        check_same(entry, found.hash, out / entry.name)
    results: dict[str, Any] = {"target": target, "contenders": {}}
    title = f"Validation error over seconds of training on {found.problem.name}"
    record = new_record("race", title, place, results, {"device": str(place)})
    for entry in entries:
        with progress(entry) as listener:
            train_contender(entry, data, out / entry.name, device=device, listener=listener)
        release_memory(place)
        results["contenders"][entry.name] = standing(entry, out / entry.name, target)
        results["times_sooner"] = times_sooner(results["contenders"])
        about = read(out / entry.name, "data.json")
        record = replace(record, data={k: v for k, v in about.items() if k != "path"})
        write_record(out / "record.json", record)
        write_bytes(out / "race.png", png(race_figure(results)))
    return record


def standing(entry: Contender, run: Path, target: float) -> dict[str, Any]:
    """How a contender did; `seconds_to_target` is None where it never got there."""
    found = outcome(run)
    points = zip(found["curve"]["seconds"], found["curve"]["val_error"], strict=True)
    reached = (seconds for seconds, error in points if error <= target)
    seconds = next(reached, None)
    return {"title": entry.title, "model": entry.model, "seconds_to_target": seconds, **found}


def times_sooner(standings: Mapping[str, Mapping[str, Any]]) -> float | None:
    """How much sooner LLT (best) reaches the target than Transolver its own best error."""
    if not {FAST, RIVAL} <= standings.keys():
        return None
    reached = standings[FAST]["seconds_to_target"]
    return None if reached is None else standings[RIVAL]["best_seconds"] / max(reached, 1e-3)
