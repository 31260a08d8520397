"""What an interrupted run needs to go on: one file, replaced whole.

It holds the optimizer's vectors (the parameters among them), the model's buffers, and where the
run stands. Plans and schedules are functions of seed and step, so there is nothing else.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import safetensors.torch
from safetensors import SafetensorError, safe_open

from llt.errors import CheckpointError
from llt.runtime.files import write_bytes
from llt.training.step import TrainingStep

FILE = "state.safetensors"


@dataclass
class Progress:
    """Where a run stands."""

    epoch: int = 0  # epochs completed
    position: int = 0  # steps completed in the current one
    best_error: float = float("inf")  # smallest validation error so far
    best_epoch: int = 0
    seconds: float = 0.0  # spent training, over all attempts


def save_state(run: Path, step: TrainingStep, progress: Progress) -> None:
    tensors = {f"optimizer.{k}": v for k, v in step.optimizer.state().items()}
    tensors |= {f"buffer.{k}": v for k, v in step.surrogate.model.named_buffers()}
    tensors["loss_sum"] = step.loss_sum
    content = safetensors.torch.save(
        {name: tensor.detach().cpu().clone() for name, tensor in tensors.items()},
        {"progress": json.dumps(asdict(progress))},
    )
    write_bytes(run / FILE, content)


def load_state(run: Path, step: TrainingStep) -> Progress:
    path = run / FILE
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            progress = Progress(**json.loads(file.metadata()["progress"]))
    except SafetensorError as error:
        raise CheckpointError(f"{path}: damaged: {error}") from error
    flat = {k: tensors[f"optimizer.{k}"] for k in step.optimizer.state()}
    if flat["flat"].shape != step.optimizer.flat.shape:
        raise CheckpointError(
            f"{path}: holds {len(flat['flat'])} parameters, "
            f"the model has {len(step.optimizer.flat)}"
        )
    step.optimizer.load_state(flat)
    for name, buffer in step.surrogate.model.named_buffers():
        buffer.copy_(tensors[f"buffer.{name}"])
    step.loss_sum.copy_(tensors["loss_sum"])
    return progress
