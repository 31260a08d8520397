"""A training run: a folder that says what was trained on what, and can be continued.

config.toml        model and training settings, complete
env.json           versions, device, commit
data.json          the dataset's path, hash and split hash
metrics.jsonl      one line per epoch
best/, last/       checkpoints: smallest validation error, end of training
state.safetensors  what `resume` needs; removed when the run is complete
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from llt.data import file as dataset_file
from llt.data.batches import DeviceData
from llt.data.dataset import Dataset
from llt.data.neighbors import training_radius
from llt.data.normalizer import Normalizer
from llt.errors import CheckpointError, ConfigError, TrainingError
from llt.files import write_json, write_text
from llt.models import build_model
from llt.surrogate import Surrogate
from llt.train.config import TrainConfig
from llt.train.environment import environment
from llt.train.settings import read_toml, to_toml
from llt.train.state import FILE as STATE
from llt.train.state import Progress, load_state, save_state
from llt.train.step import TrainingStep, matmul_precision
from llt.train.validation import sample_errors


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


Listener = Callable[[Tick], None]


def train(
    data_path: Path,
    out: Path,
    *,
    model: str = "llt",
    model_settings: Mapping[str, Any] | None = None,
    config: TrainConfig | None = None,
    device: str = "auto",
    listener: Listener | None = None,
) -> Path:
    """Train a model on a dataset file into the new folder `out`."""
    config = config or TrainConfig()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"{out}: already exists; choose another --out, or --resume {out}")
    target = find_device(device)
    data = dataset_file.read(data_path)
    torch.manual_seed(config.seed)
    network = build_model(model, data.problem, **(model_settings or {}))
    surrogate = _surrogate(network, data)
    write_text(
        out / "config.toml",
        to_toml({"model": {"name": model, **network.arguments}, "train": config.to_dict()}),
    )
    write_json(out / "env.json", environment(target))
    write_json(
        out / "data.json",
        {
            "path": str(data_path.resolve()),
            "hash": data.hash,
            "splits": {name: len(data.splits[name]) for name in ("train", "val", "test")},
            "split_hash": data.splits.hash,
            "problem": data.problem.name,
            "provenance": data.provenance,
        },
    )
    return _run(out, data, surrogate, config, target, listener)


def resume(
    out: Path,
    *,
    data_path: Path | None = None,
    device: str = "auto",
    listener: Listener | None = None,
) -> Path:
    """Continue an interrupted run; on the CPU its weights end bitwise as if never interrupted."""
    if not (out / "config.toml").is_file():
        raise CheckpointError(f"{out}: not a run folder, config.toml is missing")
    if not (out / STATE).is_file() and (out / "last").is_dir():
        raise CheckpointError(f"{out}: the run is complete; nothing to resume")
    settings = read_toml(out / "config.toml")
    record = json.loads((out / "data.json").read_text())
    data = dataset_file.read(data_path or Path(record["path"]))
    if data.hash != record["hash"]:
        raise CheckpointError(
            f"{out}: was trained on data {record['hash']} ({record['problem']}), "
            f"the file holds {data.hash} ({data.problem.name})"
        )
    config = TrainConfig.from_dict(settings["train"])
    torch.manual_seed(config.seed)
    arguments = dict(settings["model"])
    network = build_model(arguments.pop("name"), data.problem, **arguments)
    return _run(out, data, _surrogate(network, data), config, find_device(device), listener)


def find_device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ConfigError(f"unknown device {name!r}; choose from auto, cpu, cuda") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError(f"device {name}: no CUDA device is available here; use cpu")
    return device


def _surrogate(network: Any, data: Dataset) -> Surrogate:
    radius = training_radius(data) if network.max_neighbors else None
    return Surrogate(network, Normalizer.fit(data), radius)


def _run(
    out: Path,
    data: Dataset,
    surrogate: Surrogate,
    config: TrainConfig,
    device: torch.device,
    listener: Listener | None,
) -> Path:
    surrogate.to(device)
    graph = {"radius": surrogate.radius, "max_neighbors": surrogate.model.max_neighbors}
    parts = {
        name: DeviceData(data, data.split(name), device, **graph)  # type: ignore[arg-type]
        for name in ("train", "val")
    }
    with matmul_precision(config.precision):
        step = TrainingStep(surrogate, parts["train"], config)
        progress = load_state(out, step) if (out / STATE).is_file() else Progress()
        _prepare(step, config, device)
        _keep_metrics(out, progress.epoch)
        _epochs(out, step, parts["val"], progress, listener)
    (out / STATE).unlink(missing_ok=True)
    return out


def _prepare(step: TrainingStep, config: TrainConfig, device: torch.device) -> None:
    mode = config.mode
    if mode == "auto":
        mode = "graph" if device.type == "cuda" else "eager"
    if mode != "eager":
        if device.type != "cuda":
            raise ConfigError(f"train.mode={mode} needs a CUDA device; use eager on {device}")
        step.capture(compiled=mode == "compile")


def _epochs(
    out: Path,
    step: TrainingStep,
    val: DeviceData,
    progress: Progress,
    listener: Listener | None,
) -> None:
    config, surrogate = step.config, step.surrogate
    clock = _Clock(progress)
    with _signals() as signals:
        while progress.epoch < config.epochs:
            step.start_epoch(progress.epoch, progress.position)
            surrogate.model.train()
            while progress.position < step.steps_per_epoch:
                step()
                progress.position += 1
                if signals or clock.since_save > config.checkpoint_seconds:
                    _save(out, step, progress, clock)
                if signals:
                    raise Interrupted(signals[0], out, progress)
                if listener:
                    listener(_tick(step, progress))
            progress.epoch, progress.position = progress.epoch + 1, 0
            metrics = _finish_epoch(out, step, val, progress, clock)
            if listener:
                listener(_tick(step, progress, metrics))
    surrogate.save(out / "last", epoch=progress.epoch, val_error=metrics["val_error"])


def _finish_epoch(
    out: Path, step: TrainingStep, val: DeviceData, progress: Progress, clock: _Clock
) -> dict[str, Any]:
    loss = step.loss_sum.item() / step.steps_per_epoch
    if not loss < float("inf"):
        raise TrainingError(
            f"{out}: epoch {progress.epoch}: the loss is {loss}; try a smaller train.lr"
        )
    error = sample_errors(step.surrogate, val).mean().item()
    if error < progress.best_error:
        progress.best_error, progress.best_epoch = error, progress.epoch
        step.surrogate.save(out / "best", epoch=progress.epoch, val_error=error)
    metrics = {
        "epoch": progress.epoch,
        "train_loss": loss,
        "val_error": error,
        "lr": float(step.optimizer.rates[progress.epoch * step.steps_per_epoch - 1]),
        "seconds": round(clock.total(), 3),
    }
    with (out / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(metrics) + "\n")
    return metrics


def _save(out: Path, step: TrainingStep, progress: Progress, clock: _Clock) -> None:
    progress.seconds = clock.total()
    save_state(out, step, progress)
    clock.saved()


def _tick(step: TrainingStep, progress: Progress, metrics: dict[str, Any] | None = None) -> Tick:
    return Tick(
        epoch=progress.epoch,
        epochs=step.config.epochs,
        position=progress.position,
        steps_per_epoch=step.steps_per_epoch,
        metrics=metrics,
    )


def _keep_metrics(out: Path, epochs: int) -> None:
    """Drop lines of epochs that will be trained again."""
    path = out / "metrics.jsonl"
    if path.is_file():
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        write_text(path, "".join(lines[:epochs]))


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


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM instead of dying by them, so that the state can be saved."""
    caught: list[int] = []

    def remember(signum: int, frame: FrameType | None) -> None:
        caught.append(signum)

    try:
        before = {s: signal.signal(s, remember) for s in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread: whoever runs it handles signals
        yield caught
        return
    try:
        yield caught
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
