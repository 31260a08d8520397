"""The training loop: epochs of steps, validation, best weights, saving, stopping on a signal."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llt.data.sources import Source
from llt.errors import TrainingError
from llt.problem import Problem
from llt.runtime.environment import device_name
from llt.runtime.files import append_text, write_bytes
from llt.runtime.signals import requests_to_stop
from llt.training.state import Progress, save_state
from llt.training.step import TrainingStep
from llt.training.validation import Errors, sample_errors

CUDA_STEPS = 16  # from one question whether to stop to the next, where several train together


class Interrupted(Exception):  # noqa: N818, a request rather than an error
    """The run was asked to stop by a signal; its state is saved."""

    def __init__(self, signum: int, out: Path, progress: Progress) -> None:
        super().__init__(f"{signal.Signals(signum).name} in epoch {progress.epoch + 1}")
        self.signum, self.out = signum, out


@dataclass(frozen=True)
class Tick:
    """What a progress display is told: after every step, and with errors after every epoch."""

    epoch: int
    epochs: int
    position: int
    steps_per_epoch: int
    metrics: dict[str, Any] | None = None  # at the end of an epoch
    note: str | None = None  # after the first step: what is trained, where and how


Listener = Callable[[Tick], None]


def run_epochs(
    out: Path,
    step: TrainingStep,
    val: Source,
    progress: Progress,
    listener: Listener | None,
) -> None:
    """Train from where `progress` stands to the end, into the run folder `out`."""
    config, surrogate = step.config, step.surrogate
    if step.team.is_first:
        _keep_metrics(out, progress.epoch)
    clock = _Clock(progress)
    # where there is more to validate on than to train on, not after every epoch
    period = -(-val.num_items // step.data.num_items)
    if progress == Progress():
        with surrogate.predicting_the_mean():  # what is kept must not be worse
            _keep_if_best(out, step, _error(step, _errors(step, val)), progress)
    note: str | None = _note(step)
    with requests_to_stop() as signals:
        while progress.epoch < config.epochs:
            step.start_epoch(progress.epoch, progress.position)
            surrogate.model.train()
            while progress.position < step.steps_per_epoch:
                step()
                progress.position += 1
                stopped = _asked_to_stop(step, signals, progress)
                if stopped or clock.since_save > config.checkpoint_seconds:
                    _save(out, step, progress, clock)
                if stopped:
                    signum = signals[0] if signals else signal.SIGTERM
                    raise Interrupted(signum, out, progress)
                if listener:
                    listener(_tick(step, progress, note=note))
                    note = None
            progress.epoch, progress.position = progress.epoch + 1, 0
            _check_loss(out, step, progress)
            metrics = None
            if progress.epoch % period == 0 or progress.epoch == config.epochs:
                metrics = _validate(out, step, val, progress, clock)
            if listener:
                listener(_tick(step, progress, metrics))
    assert metrics is not None  # a state is saved before its epoch ends: there was one to train
    if step.team.is_first:
        with step.kept_weights():
            surrogate.save(out / "last", epoch=progress.epoch, val_error=metrics["val_error"])


def _asked_to_stop(step: TrainingStep, signals: Sequence[int], progress: Progress) -> bool:
    """Whether a process got a signal: all stop after the same step."""
    # asking takes a moment in which a GPU has nothing to do
    if step.team.size > 1 and step.device.type == "cuda" and progress.position % CUDA_STEPS:
        return False
    return step.team.any(bool(signals))


def _check_loss(out: Path, step: TrainingStep, progress: Progress) -> None:
    if not step.mean_loss < float("inf"):
        raise TrainingError(
            f"{out}: epoch {progress.epoch}: the loss is {step.mean_loss}; try a smaller train.lr"
        )


def _validate(
    out: Path, step: TrainingStep, val: Source, progress: Progress, clock: _Clock
) -> dict[str, Any]:
    errors = _errors(step, val)
    error = _error(step, errors)
    _keep_if_best(out, step, error, progress)
    metrics = {
        "epoch": progress.epoch,
        "train_loss": step.mean_loss,
        "val_error": error,
        **_field_errors(errors, step.surrogate.problem),
        "lr": float(step.optimizer.rates[progress.epoch * step.steps_per_epoch - 1]),
        "seconds": round(clock.total(), 3),
    }
    if step.team.is_first:
        append_text(out / "metrics.jsonl", json.dumps(metrics) + "\n")
    return metrics


def _errors(step: TrainingStep, val: Source) -> Errors:
    with step.kept_weights(), step.autocast():
        return sample_errors(step.surrogate, val, team=step.team)


def _error(step: TrainingStep, errors: Errors) -> float:
    """What weights are chosen by: of all fields together, or the mean of their own errors."""
    return (errors.fields if step.config.balance else errors.total).mean().item()


def _keep_if_best(out: Path, step: TrainingStep, error: float, progress: Progress) -> None:
    if error < progress.best_error:
        progress.best_error, progress.best_epoch = error, progress.epoch
        if step.team.is_first:
            with step.kept_weights():
                step.surrogate.save(out / "best", epoch=progress.epoch, val_error=error)


def _field_errors(errors: Errors, problem: Problem) -> dict[str, dict[str, float]]:
    """The mean error of every field, where there are several."""
    if problem.out_channels == 1:
        return {}
    means = errors.fields.mean(0).tolist()
    return {"val_fields": dict(zip(problem.output_names, means, strict=True))}


def _save(out: Path, step: TrainingStep, progress: Progress, clock: _Clock) -> None:
    progress.seconds = clock.total()
    if step.team.is_first:
        save_state(out, step, progress)
    clock.saved()


def _note(step: TrainingStep) -> str:
    surrogate = step.surrogate
    size = sum(p.numel() for p in surrogate.model.parameters())
    where = f"{device_name(surrogate.device)} in {surrogate.precision}"
    words = f"{surrogate.model.name}, {size:,} parameters, on {where}; {surrogate.plan}"
    return words if step.team.size == 1 else f"{words}; {step.team}"


def _tick(
    step: TrainingStep,
    progress: Progress,
    metrics: dict[str, Any] | None = None,
    note: str | None = None,
) -> Tick:
    return Tick(
        epoch=progress.epoch,
        epochs=step.config.epochs,
        position=progress.position,
        steps_per_epoch=step.steps_per_epoch,
        metrics=metrics,
        note=note,
    )


def _keep_metrics(out: Path, epochs: int) -> None:
    """Drop lines of epochs that will be trained again."""
    path = out / "metrics.jsonl"
    if path.is_file():
        lines = path.read_bytes().splitlines(keepends=True)
        write_bytes(path, b"".join(line for line in lines if _epoch_of(line) <= epochs))


def _epoch_of(line: bytes) -> float:
    try:
        return int(json.loads(line)["epoch"])
    except (ValueError, LookupError, TypeError, OverflowError):  # cut off by a kill, or damaged
        return float("inf")


class _Clock:
    """Seconds of training, over all attempts."""

    def __init__(self, progress: Progress) -> None:
        self.before = progress.seconds
        self.start = self.last_save = time.monotonic()

    def total(self) -> float:
        return self.before + time.monotonic() - self.start

    @property
    def since_save(self) -> float:
        return time.monotonic() - self.last_save

    def saved(self) -> None:
        self.last_save = time.monotonic()
