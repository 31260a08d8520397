"""A training run: a folder that says what was trained on what, and can be continued.

config.toml        recipe, model and training settings, complete
env.json           versions, device, commit, which kernels were used and why
data.json          the dataset's path, hash and split hash
data.h5            the dataset itself, where it was given in memory
metrics.jsonl      one line per epoch; its seconds count from the first step, after compiling and
                   capture, over all attempts, with validation and the writing of checkpoints
best/, last/       checkpoints: smallest validation error, end of training
state.safetensors  what `resume` needs; removed when the run is complete
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from llt.data import dataset_file
from llt.data.dataset import VERSION, Dataset
from llt.data.sources import Source, ThinnedSource
from llt.data.thinning import thin
from llt.errors import CheckpointError, ConfigError, DataError
from llt.models import Operator, build_model
from llt.problem import Problem
from llt.runtime.device import find_device, free_memory, matmul_precision, resolve_precision
from llt.runtime.environment import environment
from llt.runtime.files import is_abandoned, write_json, write_text
from llt.runtime.lock import NAME as LOCK
from llt.runtime.lock import claimed
from llt.runtime.reading import reading
from llt.surrogate import Surrogate
from llt.training.config import TrainConfig
from llt.training.folder import read_data_record
from llt.training.loop import Listener, run_epochs
from llt.training.settings import read_toml, to_toml
from llt.training.state import FILE as STATE
from llt.training.state import Progress, is_complete, load_state
from llt.training.step import TrainingStep
from llt.training.strides import find_strides
from llt.training.validation import sample_errors

DATA = "data.h5"


def train(
    data: Path | Dataset,
    out: Path,
    *,
    model: str = "llt",
    model_settings: Mapping[str, Any] | None = None,
    config: TrainConfig | None = None,
    recipe: str | None = None,
    device: str = "auto",
    listener: Listener | None = None,
) -> Path:
    """Train a model on a dataset into the new folder `out`.

    Args:
        data: the dataset's file; or the dataset itself, which is then saved as `data.h5` in the
            run folder, unless it comes from a file.
        recipe: the name of what the settings come from, for the run's records.
    """
    _check_free(out)
    target = find_device(device)
    given = data
    data, step, val = prepare(
        given, model=model, model_settings=model_settings, config=config, device=target
    )
    network, config = step.surrogate.model, step.config
    settings = {"model": {"name": model, **network.arguments}, "train": config.to_dict()}
    with claimed(out):
        _check_free(out)  # nobody has used it meanwhile
        kernels = str(step.surrogate.plan)
        write_json(out / "env.json", {**environment(target), "kernels": kernels})
        write_json(out / "data.json", _about(data, _file(given, out)))
        # last, since it makes the folder a run, which can be resumed
        write_text(out / "config.toml", to_toml(settings, recipe))
        return _run(out, step, val, listener)


def _check_free(out: Path) -> None:
    """A run begins in a new folder, or in one where another was killed before it began."""
    beginning = {LOCK, "env.json", "data.json"}
    if (out / "env.json").is_file():  # else a file of this name is the user's
        beginning.add(DATA)
    if not out.exists():
        return
    if not out.is_dir() or any(
        path.name not in beginning and not is_abandoned(path) for path in out.iterdir()
    ):
        raise ConfigError(f"{out}: already exists; choose another --out, or --resume {out}")


def _about(data: Dataset, path: Path) -> dict[str, Any]:
    return {
        "path": str(path),
        "hash": data.hash,
        "splits": {name: len(data.splits[name]) for name in ("train", "val", "test")},
        "split_hash": data.splits.hash,
        "problem": data.problem.name,
        "provenance": data.provenance,
    }


def prepare(
    data: Path | Dataset,
    *,
    model: str,
    model_settings: Mapping[str, Any] | None,
    config: TrainConfig | None,
    device: torch.device,
) -> tuple[Dataset, TrainingStep, Source]:
    """All that a new training needs before its first step: data, step, and data to validate on."""
    config = config or TrainConfig()
    data = _open(data, config)
    _check_size(model, data.problem, model_settings or {}, device)
    torch.manual_seed(config.seed)
    network = build_model(model, data.problem, **(model_settings or {}))
    config = with_precision(config, network, device)
    num_times = 1 if data.times is None else len(data.times)
    config = config.with_budget(len(data.split("train")) * num_times)
    surrogate = Surrogate.fit(network, data, mean_field=config.mean_field)
    return data, *_set_up(data, surrogate, config, device)


def _check_size(
    model: str, problem: Problem, settings: Mapping[str, Any], device: torch.device
) -> None:
    """Refuse a network that cannot be trained, before its memory is asked for."""
    with torch.device("meta"):
        size = sum(p.numel() for p in build_model(model, problem, **settings).parameters())
    # weights, gradients and two numbers that an optimizer remembers, all in float32
    needed, free = 16 * size, free_memory(device)
    if needed > free:
        raise ConfigError(
            f"{model} with {size:,} parameters needs {needed / 2**30:.1f} GiB to be trained, "
            f"{device} has {free / 2**30:.1f} GiB; choose a smaller model.dim or model.num_layers"
        )


def resume(
    out: Path,
    *,
    data_path: Path | None = None,
    device: str = "auto",
    listener: Listener | None = None,
) -> Path:
    """Continue an interrupted run; on the CPU its weights end bitwise as if never interrupted.

    A run that is complete stays as it is.
    """
    if not (out / "config.toml").is_file():
        raise CheckpointError(f"{out}: not a run folder, config.toml is missing")
    with claimed(out):
        if not is_complete(out):
            _continue(out, data_path, find_device(device), listener)
    return out


def _continue(
    out: Path, data_path: Path | None, device: torch.device, listener: Listener | None
) -> None:
    settings = read_toml(out / "config.toml")
    with reading(out / "config.toml", ConfigError):
        config = TrainConfig.from_dict(settings["train"])
    record = read_data_record(out)
    data_path = data_path or Path(record["path"])
    if not data_path.exists():
        raise DataError(
            f"{data_path}: no such file; if it has moved: llt train FILE --resume {out}"
        )
    data = _open(data_path, config)
    if data.hash != record["hash"]:
        raise CheckpointError(
            f"{out}: was trained on data {record['hash']} ({record['problem']}), "
            f"the file holds {data.hash} ({data.problem.name})"
        )
    torch.manual_seed(config.seed)
    arguments = dict(settings["model"])
    with reading(out / "config.toml", ConfigError):
        network = build_model(arguments.pop("name"), data.problem, **arguments)
    surrogate = Surrogate.fit(network, data, mean_field=config.mean_field)
    step, val = _set_up(data, surrogate, config, device)
    _run(out, step, val, listener)


def _file(data: Path | Dataset, out: Path) -> Path:
    """Where the data can be read again; those in memory are saved in the run folder."""
    if isinstance(data, Path):
        return data.resolve()
    if data.file is not None and data.finer is None:
        return data.file.path
    return data.save(out / DATA).resolve()


def _open(source: Path | Dataset, config: TrainConfig) -> Dataset:
    """The data on the grid that the model is built for: theirs, or the first of the settings."""
    if isinstance(source, Path):
        data = dataset_file.read(source)
    else:  # which is saved as a file of today's version
        data = replace(source, version=VERSION) if source.file is None else source
    data = data if config.data == "file" else data.load_if_small()
    strides = find_strides(config.strides, config.resolutions, data.problem)
    return thin(data, strides[0]) if strides else data


def _training_source(data: Dataset, surrogate: Surrogate, config: TrainConfig) -> Source:
    """The training split, on all grids of the settings where they name some."""
    indices, whole = data.split("train"), data.finer or data
    strides = find_strides(config.strides, config.resolutions, whole.problem)
    if not strides:
        return surrogate.source(data, indices, config.data)
    parts = {k: surrogate.source(thin(whole, k), indices, config.data) for k in set(strides)}
    return ThinnedSource(parts, strides)


def with_precision(config: TrainConfig, network: Operator, device: torch.device) -> TrainConfig:
    """The settings with the precision that "auto" stands for."""
    if config.precision != "auto":
        return config
    return replace(config, precision=resolve_precision("auto", network.precision, device))


def _set_up(
    data: Dataset, surrogate: Surrogate, config: TrainConfig, device: torch.device
) -> tuple[TrainingStep, Source]:
    """The step, captured where it is to be, and the validation data: all that can be refused."""
    mode = config.mode
    if mode == "auto":
        mode = "graph" if device.type == "cuda" else "eager"
    if mode != "eager" and device.type != "cuda":
        raise ConfigError(f"train.mode={mode} needs a CUDA device; use eager on {device}")
    surrogate.to(device).precision = config.precision
    val = surrogate.source(data, data.split("val"), config.data)
    with matmul_precision(config.precision):
        step = TrainingStep(surrogate, _training_source(data, surrogate, config), config)
        if mode != "eager":
            _capture(step, mode, asked_for=config.mode != "auto")
        if device.type == "cuda":
            # what validation compiles belongs here, not to the time of the first epoch
            with step.autocast():
                sample_errors(surrogate, val)
    return step, val


def _capture(step: TrainingStep, mode: str, *, asked_for: bool) -> None:
    """Capture the step; where that fails and was not asked for, it runs uncaptured."""
    try:
        step.capture(compiled=mode == "compile")
    except torch.OutOfMemoryError:
        raise
    except RuntimeError as error:
        reason = str(error).splitlines()[0]
        if asked_for:
            raise ConfigError(f"train.mode={mode}: {reason}; use train.mode=eager") from error
        warnings.warn(f"the step cannot be captured and runs eagerly: {reason}", stacklevel=2)


def _run(out: Path, step: TrainingStep, val: Source, listener: Listener | None) -> Path:
    progress = load_state(out, step) if (out / STATE).is_file() else Progress()
    with matmul_precision(step.config.precision):
        run_epochs(out, step, val, progress, listener)
    (out / STATE).unlink(missing_ok=True)
    return out
