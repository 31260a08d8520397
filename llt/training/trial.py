"""What a training will take: a few of its steps, measured, and all put back as it was."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
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
ROUNDS = 8  # of steps on all grids, at most
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
        pace = measure_steps(step)
    return Trial(
        samples={name: len(setup.whole.splits[name]) for name in ("train", "val", "test")},
        parameters=sum(p.numel() for p in surrogate.model.parameters()),
        epochs=step.config.epochs,
        steps_per_epoch=step.steps_per_epoch,
        device=device_name(step.device),
        precision=step.config.precision,
        kernels=str(surrogate.plan),
        measured_steps=pace.measured,
        seconds_per_step=pace.seconds,
        seconds=_whole(step, setup.val, pace),
        memory_bytes=peak_memory(step.device),
        start=str(setup.start or ""),
    )


@dataclass(frozen=True, slots=True)
class Pace:
    """What steps take."""

    measured: int  # steps
    seconds: float  # of one, on average
    whole: float  # and on the grid of the data, where some are on coarser ones


def measure_steps(step: TrainingStep, clock: Callable[[], float] = time.perf_counter) -> Pace:
    step.surrogate.model.train()
    if step.data.strides:
        return _measure_grids(step, clock)
    cuda = step.device.type == "cuda"
    warmup, steps = (CUDA_WARMUP, CUDA_STEPS) if cuda else (WARMUP, STEPS)
    for number in range(warmup):
        _run(step, number)
    _wait(step.device)
    start, done = clock(), 0
    while done < steps and not step.team.any(clock() - start > SECONDS):
        _run(step, warmup + done)
        done += 1
    _wait(step.device)
    seconds = (clock() - start) / done
    return Pace(done, seconds, seconds)


def _measure_grids(step: TrainingStep, clock: Callable[[], float]) -> Pace:
    """One by one, until each grid has had two steps; it counts as often as it is drawn."""
    drawn = Counter(step.data.strides)
    times: dict[Any, list[float]] = {stride: [] for stride in drawn}
    number, begin = 0, clock()

    def enough() -> bool:
        if number >= ROUNDS * drawn.total():  # a short training has no step on some of them
            return True
        late = step.team.any(clock() - begin > SECONDS)
        return all(len(taken) > (0 if late else WARMUP) for taken in times.values())

    while not enough():
        if number % step.steps_per_epoch == 0:
            step.start_epoch(number // step.steps_per_epoch % step.config.epochs)
        stride, start = step.size, clock()
        step()
        _wait(step.device)
        times[stride].append(clock() - start)
        number += 1
    means = {stride: fmean(taken[WARMUP:] or taken) for stride, taken in times.items() if taken}
    mean = sum(means[s] * drawn[s] for s in means) / sum(drawn[s] for s in means)
    return Pace(number, mean, means.get(step.data.strides[0], max(means.values())))


def _run(step: TrainingStep, number: int) -> None:
    """Step `number` of the first epoch, over and over where it is that short."""
    if number % step.steps_per_epoch == 0:
        step.start_epoch(0)
    step()


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _whole(step: TrainingStep, val: Source, pace: Pace) -> float:
    """Seconds of all steps; the loop validates on no more samples than it trains on between."""
    items = min(val.num_items, step.data.num_items)
    validation = items / step.batch_size * pace.whole * FORWARD
    return step.config.epochs * (step.steps_per_epoch * pace.seconds + validation)


def peak_memory(device: torch.device) -> int | None:
    """Bytes of the device, on the CPU of this process; None where no system tells."""
    if device.type == "cuda":
        return torch.cuda.max_memory_reserved(device)
    try:  # Linux: the usage below begins with that of the process which has started this one
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
