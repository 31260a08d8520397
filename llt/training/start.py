"""Beginning with trained weights instead of random ones.

The blocks must fit and are kept, which is what pays. The layers that read the fields and those
that give them are kept where they have the same shape, and are new elsewhere. Scales and means
are those of the new data, as always: a surrogate knows no units but its own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from llt.checkpoint import WEIGHTS, checkpoint_folder, read_config, read_weights
from llt.errors import CheckpointError, ConfigError
from llt.models import Operator
from llt.problem import Problem
from llt.runtime.reading import reading
from llt.surrogate import MEAN_FIELD

NEW_INSIDE = "film"  # the one part of blocks that only timed problems have; it begins at zero


@dataclass(frozen=True, slots=True)
class Start:
    """What a training began with."""

    path: str  # as it was given
    problem: str  # that the weights were trained on, in words
    kept: int  # parameters
    new: tuple[str, ...]  # layers that began with random weights

    def __str__(self) -> str:
        new = f"; new: {', '.join(self.new)}" if self.new else ""
        return f"from {self.path} ({self.problem}): {self.kept:,} parameters kept{new}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def start_settings(path: str) -> dict[str, dict[str, Any]]:
    """The settings that follow from trained weights: their model's own.

    The rates are the recipe's: slower ones gain little where the data are alike and lose much
    where they are not (docs/recipes.md).
    """
    folder = checkpoint_folder(Path(path))
    config, (weights, _) = read_config(folder), read_weights(folder)
    with reading(folder / "config.json", CheckpointError):
        return {
            "model": dict(config["arguments"]),
            # what the last layer gives is a field, or the deviation from the mean one
            "train": {"mean_field": MEAN_FIELD in weights} | _history(config),
        }


def _history(config: dict[str, Any]) -> dict[str, int]:
    """Blocks that have learned steps from frame to frame go on with them."""
    return {"history": int(config["frames"]["history"])} if "frames" in config else {}


def weights_file(path: str) -> Path:
    """The file with the weights that were trained."""
    return checkpoint_folder(Path(path)) / WEIGHTS


def start_model(path: str) -> str:
    """The name of the model that was trained."""
    return str(read_config(checkpoint_folder(Path(path)))["model"])


def begin(network: Operator, path: str) -> Start:
    """Give a new network the weights of a trained one, where they fit."""
    folder = checkpoint_folder(Path(path))
    config, (weights, _) = read_config(folder), read_weights(folder)
    with reading(folder / "config.json", CheckpointError):
        problem = Problem.from_dict(config["problem"])
    _check_kind(network, path, config, problem)
    own, body = network.state_dict(), f"{network.body}."
    fits = {name for name in own if name in weights and weights[name].shape == own[name].shape}
    inside = {name for name in {*own, *weights} - fits if name.startswith(body)}
    wrong = sorted(name for name in inside if f".{NEW_INSIDE}." not in name)
    if wrong:
        raise ConfigError(f"{path}: its blocks do not fit: {wrong[0]} has another shape or is new")
    with torch.no_grad():
        for name in fits:
            own[name].copy_(weights[name])
    new = dict.fromkeys(name.rpartition(".")[0] for name in own if name not in fits)
    return Start(path, problem.describe(), sum(own[name].numel() for name in fits), tuple(new))


def _check_kind(network: Operator, path: str, config: dict[str, Any], problem: Problem) -> None:
    """Say what would be right where it can be known."""
    if config["model"] != network.name:
        raise ConfigError(
            f"{path}: holds weights of {config['model']}, not of {network.name}; "
            f"use --model {config['model']}"
        )
    mine = network.problem
    if (problem.space_dim, problem.grid is None) != (mine.space_dim, mine.grid is None):
        raise ConfigError(
            f"{path}: was trained on {problem.describe()}; the data are {mine.describe()}"
        )
    for name, value in config["arguments"].items():
        found = network.arguments.get(name, value)
        if found != value and name in ("dim", "num_layers", "heads", "kernel", "ffn_dim"):
            raise ConfigError(
                f"{path}: its blocks do not fit: model.{name} is {value} there and {found} here; "
                f"leave it out or use --set model.{name}={value}"
            )
