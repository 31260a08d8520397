"""All that a training needs before its first step: the data as it sees them, model and step.

What can be refused is refused here, before a run folder is begun.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch.nn.modules.batchnorm import _BatchNorm

from llt import __version__
from llt.data import dataset_file
from llt.data.dataset import VERSION, Dataset
from llt.data.frames import Frames
from llt.data.parts import cut
from llt.data.sources import Source, ThinnedSource
from llt.data.steps import steps_of
from llt.data.thinning import thin
from llt.errors import ConfigError
from llt.models import Operator, build_model
from llt.models.llt import LLT
from llt.problem import Problem
from llt.runtime.checked import digest
from llt.runtime.device import free_memory, matmul_precision, resolve_precision
from llt.runtime.team import ALONE, Team
from llt.surrogate import Surrogate
from llt.training.config import TrainConfig
from llt.training.domain import Regions, Rows
from llt.training.start import Start, begin, weights_file
from llt.training.step import TrainingStep
from llt.training.strides import find_strides
from llt.training.validation import sample_errors

# how a step is run: the first of these that works
LADDERS = {"auto": ("graph", "eager"), "fastest": ("compile", "graph", "eager")}


@dataclass(frozen=True, slots=True)
class Setup:
    """A training that is ready to begin, or to go on."""

    whole: Dataset  # the dataset as it was given
    step: TrainingStep
    val: Source
    start: Start | None = None  # the trained weights that it begins with


def prepare(
    given: Path | Dataset,
    *,
    model: str,
    model_settings: Mapping[str, Any] | None,
    config: TrainConfig | None,
    device: torch.device,
    start: str | None = None,
    team: Team = ALONE,
) -> Setup:
    """A new training, with random weights or those of the run or pretrained:NAME `start`."""
    config = config or TrainConfig()
    whole = read_data(given, config)
    settings = {"model": model_settings or {}, "train": config.to_dict()}
    check_same(team, whole, settings, weights_file(start) if start else None)
    data = seen(whole, config)
    _check_size(model, data.problem, model_settings or {}, device)
    network = first_model(model, data.problem, model_settings or {}, config)
    begun = begin(network, start) if start else None
    config = with_precision(config, network, device)
    num_times = 1 if data.times is None else len(data.times)
    config = config.with_budget(len(data.split("train")) * num_times)
    return Setup(whole, *set_up(data, network, config, device, team), begun)


def check_same(
    team: Team,
    data: Dataset,
    settings: Mapping[str, Mapping[str, Any]],
    begins: Path | None = None,
) -> None:
    """Processes that train together must have the same version, data and settings.

    Args:
        begins: the file that they begin with, of weights or of a run's state.
    """
    named = {
        f"{section}.{name}": json.dumps(value, default=str)
        for section, values in settings.items()
        for name, value in values.items()
    }
    if begins is not None:
        named[begins.name] = digest(begins.read_bytes()) if begins.is_file() else "not there"
    team.check_same({"version": __version__, "data": data.hash, **named})


def first_model(
    name: str, problem: Problem, settings: Mapping[str, Any], config: TrainConfig
) -> Operator:
    """The model with its first weights."""
    torch.manual_seed(config.seed)
    return build_model(name, problem, **settings)


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


def read_data(source: Path | Dataset, config: TrainConfig) -> Dataset:
    """The dataset, in memory where it is small."""
    if isinstance(source, Path):
        data = dataset_file.read(source)
    else:  # which is saved as a file of today's version
        data = replace(source, version=VERSION) if source.file is None else source
    return data if config.data == "file" else data.load_if_small()


def seen(data: Dataset, config: TrainConfig) -> Dataset:
    """The data that are trained on: so many samples, in parts, on the first of several grids."""
    if config.samples:
        data = replace(data, splits=data.splits.fewer(config.samples, config.seed))
    if config.points:
        return _in_steps(cut(data, config.points, config.parts, config.seed), config)
    strides = find_strides(config.strides, config.resolutions, data.problem)
    return _in_steps(thin(data, strides[0]) if strides else data, config)


def _in_steps(data: Dataset, config: TrainConfig) -> Dataset:
    """From frame to frame, where that is what is learned."""
    if not config.history:
        return data
    for name in config.log:
        if name in data.problem.output_names:
            raise ConfigError(
                f"train.log: the change of {name} from frame to frame has no logarithm; "
                "leave it out, or use train.history=0"
            )
    return steps_of(data, Frames.of(data, config.history))


def _training_source(data: Dataset, surrogate: Surrogate, config: TrainConfig) -> Source:
    """The training split, on all grids of the settings where they name some."""
    indices, frames = data.split("train"), data if data.view is None else data.view.data
    whole = frames.finer or frames
    strides = find_strides(config.strides, config.resolutions, whole.problem)
    if not strides:
        return surrogate.source(data, indices, _place(config))
    coarser = {k: _in_steps(thin(whole, k), config) for k in set(strides)}
    parts = {k: surrogate.source(part, indices, config.data) for k, part in coarser.items()}
    return ThinnedSource(parts, strides)


def _place(config: TrainConfig) -> str:
    """Where samples are kept; parts of them are in memory, wherever they come from."""
    return "auto" if config.points and config.data == "file" else config.data


def with_precision(config: TrainConfig, network: Operator, device: torch.device) -> TrainConfig:
    """The settings with the precision that "auto" stands for."""
    if config.precision != "auto":
        return config
    return replace(config, precision=resolve_precision("auto", network.precision, device))


def set_up(
    data: Dataset,
    network: Operator,
    config: TrainConfig,
    device: torch.device,
    team: Team = ALONE,
) -> tuple[TrainingStep, Source]:
    """The step, captured where it is to be, and the validation data: all that can be refused."""
    modes = _modes(config.mode, device, team)
    surrogate = Surrogate.fit(network, data, mean_field=config.mean_field, log=config.log)
    surrogate.points = config.points
    if config.recompute:
        if not isinstance(network, LLT):
            raise ConfigError(f"train.recompute: {network.name} keeps what it needs; only llt can")
        if team.domain > 1:
            raise ConfigError("train.recompute: parts of a mesh are not computed again")
        network.recompute = True
    if config.points and data.finer is not None and (mesh := data.finer.mesh) is not None:
        surrogate.mesh, surrogate.shared_mesh = torch.from_numpy(mesh), True
    surrogate.to(device).precision = config.precision
    val = surrogate.source(data, data.split("val"), _place(config))
    domain = _domain(surrogate, data, team)
    with matmul_precision(config.precision):
        source = _training_source(data, surrogate, config)
        step = TrainingStep(surrogate, source, config, team, domain)
        if isinstance(domain, Rows):
            domain.check({source.at(size).problem.grid for size in step.sizes})
        _capture(step, modes)
        if device.type == "cuda":
            # what validation compiles belongs here, not to the time of the first epoch
            with step.autocast():
                sample_errors(surrogate, val, team=team)
    return step, val


def _domain(surrogate: Surrogate, data: Dataset, team: Team) -> Rows | Regions | None:
    """How meshes are cut, where they are; refuses a model that cannot be trained so."""
    model = surrogate.model
    if team.data > 1 and any(isinstance(part, _BatchNorm) for part in model.modules()):
        raise ConfigError(
            f"parallel.data={team.data}: {model.name} has batch norm, which sees whole batches"
        )
    if team.domain == 1:
        return None
    if not isinstance(model, LLT):
        raise ConfigError(f"parallel.domain={team.domain}: {model.name} needs whole meshes; use 1")
    if data.problem.grid is not None:
        return Rows(model, team)
    return Regions(surrogate, data, data.split("train"), team)


def _modes(mode: str, device: torch.device, team: Team) -> tuple[str, ...]:
    """What is tried, one after the other."""
    if mode in LADDERS:
        captured = device.type == "cuda" and team.backend in ("", "nccl")
        return LADDERS[mode] if captured else ("eager",)
    if mode != "eager" and device.type != "cuda":
        raise ConfigError(f"train.mode={mode} needs a CUDA device; use eager on {device}")
    return (mode,)


def _capture(step: TrainingStep, modes: Sequence[str]) -> None:
    """Capture the step, compiled or not; where that fails, the next mode is tried."""
    for place, mode in enumerate(modes):
        if mode == "eager":
            return
        left = modes[place + 1 :]
        try:
            step.capture(compiled=mode == "compile")
            return
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:
            reason = str(error).splitlines()[0]
            if not left:
                raise ConfigError(f"train.mode={mode}: {reason}; use train.mode=eager") from error
            verb = {"compile": "compiled", "graph": "captured"}[mode]
            instead = {"graph": "is captured as it is", "eager": "runs eagerly"}[left[0]]
            warnings.warn(f"the step cannot be {verb} and {instead}: {reason}", stacklevel=2)
