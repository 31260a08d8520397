"""What an interrupted run needs to go on: one file, replaced whole.

It holds every tensor that the training changes, where the run stands, and the state of the random
numbers. Orders and schedules are functions of seed and step, so there is nothing else but the
settings, with which alone the run can go on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from llt.checkpoint import read_tensors, write_tensors
from llt.errors import CheckpointError
from llt.runtime.randomness import random_state, set_random_state
from llt.runtime.reading import reading
from llt.training.step import TrainingStep

FILE = "state.safetensors"
RANDOM = "random."
OLD_NAMES = {"optimizer.calm": "optimizer.steps_since_overflow"}


@dataclass
class Progress:
    """Where a run stands."""

    epoch: int = 0  # epochs completed
    position: int = 0  # steps completed in the current one
    best_error: float = float("inf")  # smallest validation error so far
    best_epoch: int = 0
    seconds: float = 0.0  # spent training, over all attempts


def is_complete(run: Path) -> bool:
    """Whether a run has come to its end; its last file is that of its last weights."""
    return not (run / FILE).exists() and (run / "last" / "model.safetensors").is_file()


def save_state(run: Path, step: TrainingStep, progress: Progress) -> None:
    tensors = step.state()
    tensors |= {RANDOM + name: state for name, state in random_state(step.device).items()}
    about = {"progress": asdict(progress), "settings": _settings(step)}
    write_tensors(run / FILE, tensors, about)


def load_state(run: Path, step: TrainingStep) -> Progress:
    """Put the step back to where `save_state` found it; older files have no random state."""
    path = run / FILE
    tensors, about = read_tensors(path)
    tensors = {OLD_NAMES.get(name, name): tensor for name, tensor in tensors.items()}
    with reading(path, CheckpointError):
        progress = Progress(**about["progress"])
        _check_settings(about.get("settings", {}), _settings(step))  # older files have none
    for name, tensor in step.state().items():
        if name not in tensors:
            raise CheckpointError(f"{path}: {name} is missing")
        if tensors[name].shape != tensor.shape:
            raise CheckpointError(
                f"{path}: {name} holds {tensors[name].numel()} parameters, "
                f"the model has {tensor.numel()}"
            )
        tensor.copy_(tensors[name])
    random = {k.removeprefix(RANDOM): v for k, v in tensors.items() if k.startswith(RANDOM)}
    set_random_state(step.device, random)
    return progress


def _settings(step: TrainingStep) -> dict[str, Any]:
    """As JSON has them."""
    model, train = step.surrogate.model, step.config.to_dict()
    del train["checkpoint_seconds"]  # changes nothing but what a kill costs
    settings = {"model": {"name": model.name, **model.arguments}, "train": train}
    found: dict[str, Any] = json.loads(json.dumps(settings))
    return found


def _check_settings(begun: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for section, settings in begun.items():
        for name, value in settings.items():
            found = now[section].get(name, value)  # those that are no more do nothing
            if found != value:
                raise CheckpointError(
                    f"the run was begun with {section}.{name}={value}, "
                    f"config.toml now says {found}; put it back"
                )
