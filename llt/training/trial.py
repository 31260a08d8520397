"""What a training will take: a few of its steps, measured, and all put back as it was."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from llt.data.dataset import Dataset
from llt.data.sources import Source
from llt.runtime.device import find_device, matmul_precision
from llt.runtime.environment import device_name
from llt.training.capture import restoring
from llt.training.config import TrainConfig
from llt.training.setup import Setup, prepare
from llt.training.step import TrainingStep

WARMUP, STEPS = 1, 3  # on the CPU
CUDA_WARMUP, CUDA_STEPS = 3, 20
SECONDS = 10.0  # no further step is begun after that many
FORWARD = 1 / 3  # of the time of a step: what a prediction takes that validates


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """The size of a training, and what it takes on a device."""

    samples: dict[str, int]  # by split
    parameters: int
    epochs: int
    steps_per_epoch: int
    device: str
    precision: str
    kernels: str
    measured_steps: int
    seconds_per_step: float
    seconds: float  # of the whole training, with validation
    memory_bytes: int | None  # at its peak: of the device, on the CPU of the process
    start: str = ""  # the trained weights that it begins with, and what was kept of them

    def to_dict(self) -> dict[str, Any]:
        found = asdict(self) | {"steps": self.epochs * self.steps_per_epoch}
        return found | {"from": found.pop("start")}


def try_training(
    data: Path | Dataset,
    *,
    model: str,
    model_settings: Mapping[str, Any],
    config: TrainConfig,
    device: str = "auto",
    start: str | None = None,
) -> Trial:
    """Set a training up as it would be, and run its first steps."""
    target = find_device(device)
    setup = prepare(
        data,
        model=model,
        model_settings=model_settings,
        config=config,
        device=target,
        start=start,
    )
    return measure(setup)


def measure(setup: Setup) -> Trial:
    """Run a few steps of a training that has not begun, and put it back to its beginning."""
    step, surrogate = setup.step, setup.step.surrogate
    with matmul_precision(step.config.precision), restoring(step.changed(), step.device):
        measured, seconds = _measure(step)
    return Trial(
        samples={name: len(setup.whole.splits[name]) for name in ("train", "val", "test")},
        parameters=sum(p.numel() for p in surrogate.model.parameters()),
        epochs=step.config.epochs,
        steps_per_epoch=step.steps_per_epoch,
        device=device_name(step.device),
        precision=step.config.precision,
        kernels=str(surrogate.plan),
        measured_steps=measured,
        seconds_per_step=seconds,
        seconds=_whole(step, setup.val, seconds),
        memory_bytes=peak_memory(step.device),
        start=str(setup.start or ""),
    )


def _measure(step: TrainingStep) -> tuple[int, float]:
    """Steps that were timed, and the mean of their seconds."""
    step.surrogate.model.train()
    cuda = step.device.type == "cuda"
    warmup, steps = (CUDA_WARMUP, CUDA_STEPS) if cuda else (WARMUP, STEPS)
    for number in range(warmup):
        _run(step, number)
    _wait(step.device)
    start, done = time.perf_counter(), 0
    while done < steps and not step.team.any(time.perf_counter() - start > SECONDS):
        _run(step, warmup + done)
        done += 1
    _wait(step.device)
    return done, (time.perf_counter() - start) / done


def _run(step: TrainingStep, number: int) -> None:
    """Step `number` of the first epoch, over and over where it is that short."""
    if number % step.steps_per_epoch == 0:
        step.start_epoch(0)
    step()


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _whole(step: TrainingStep, val: Source, seconds: float) -> float:
    """Seconds of all steps; the loop validates on no more samples than it trains on between."""
    items = min(val.num_items, step.data.num_items)
    validation = items / step.batch_size * seconds * FORWARD
    return step.config.epochs * (step.steps_per_epoch * seconds + validation)


def peak_memory(device: torch.device) -> int | None:
    """Bytes of the device, on the CPU of this process; None where no system tells."""
    if device.type == "cuda":
        return torch.cuda.max_memory_reserved(device)
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
