"""What an interrupted run needs to go on: one file, replaced whole.

It holds every tensor that the training changes, where the run stands, and the state of the random
numbers. Orders and schedules are functions of seed and step, so there is nothing else.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from llt.errors import CheckpointError
from llt.runtime.files import write_bytes
from llt.runtime.randomness import random_state, set_random_state
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
    content = safetensors.torch.save(
        {name: tensor.detach().cpu().clone() for name, tensor in tensors.items()},
        {"progress": json.dumps(asdict(progress))},
    )
    write_bytes(run / FILE, content)


def load_state(run: Path, step: TrainingStep) -> Progress:
    """Put the step back to where `save_state` found it; older files have no random state."""
    path = run / FILE
    tensors, progress = _read(path)
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


def _read(path: Path) -> tuple[dict[str, Tensor], Progress]:
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {OLD_NAMES.get(k, k): file.get_tensor(k) for k in file.keys()}  # noqa: SIM118
            return tensors, Progress(**json.loads(file.metadata()["progress"]))
    except SafetensorError as error:
        raise CheckpointError(f"{path}: damaged: {error}") from error
