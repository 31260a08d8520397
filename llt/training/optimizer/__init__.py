"""What changes the parameters at every step. All that an optimizer remembers is tensors, so that
a captured CUDA graph can hold it.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from llt.models import Operator
from llt.runtime.team import ALONE, Team
from llt.training.config import TrainConfig
from llt.training.optimizer.adam import Adam
from llt.training.optimizer.flat import FlatParameters
from llt.training.optimizer.muon import Muon
from llt.training.optimizer.scale import LossScale
from llt.training.schedule import Array

__all__ = ["Adam", "FlatParameters", "LossScale", "Muon", "Optimizer", "build_optimizer"]


class Optimizer(Protocol):
    """Updates parameters that it holds as one vector."""

    parameters: FlatParameters
    rates: Array  # the learning rate of every step of the run

    def step(self, index: Tensor) -> Tensor:
        """One update, the run's number `index` (1,); gives the norm of the gradient."""

    def state(self) -> dict[str, Tensor]:
        """All that a step changes, by name; writing into these tensors restores it."""


def build_optimizer(
    model: Operator,
    config: TrainConfig,
    num_steps: int,
    device: torch.device,
    team: Team = ALONE,
) -> Optimizer:
    """The optimizer of the settings for a model on `device`, for a run of `num_steps`."""
    needs_scale = device.type == "cuda" and config.precision == "fp16"
    scale = LossScale(device) if needs_scale else None
    if config.optimizer == "muon":
        return Muon(model, config, num_steps, scale, team)
    parameters = FlatParameters(model, clip=config.clip, scale=scale, team=team)
    return Adam(parameters, config, num_steps)
