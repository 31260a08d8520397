"""Muon for the matrices inside a model's blocks, AdamW for all else.

Muon makes the singular values of an update equal, so that no direction of a matrix waits for the
others to be learned. Maps that are stored as one weight (q, k and v; gate and up) are matrices of
their own. Those of one shape lie together in the flat vector: they are one batch without a copy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from llt import kernels
from llt.errors import ConfigError
from llt.kernels.muon import Layout, Stack
from llt.models import Operator
from llt.runtime.team import ALONE, Team
from llt.training.config import TrainConfig
from llt.training.optimizer.adam import Adam
from llt.training.optimizer.flat import FlatParameters
from llt.training.optimizer.scale import LossScale
from llt.training.schedule import learning_rates


class Muon:
    """See `Optimizer`; `rates` are those of AdamW."""

    def __init__(
        self,
        model: Operator,
        config: TrainConfig,
        num_steps: int,
        scale: LossScale | None = None,
        team: Team = ALONE,
    ) -> None:
        weights, stacks = by_shape(model.matrices())
        if not weights:
            raise ConfigError(
                f"train.optimizer=muon: {type(model).__name__} has no matrices inside its blocks; "
                "use adamw"
            )
        self.parameters = FlatParameters(
            model, clip=config.clip, scale=scale, first=weights, team=team
        )
        flat = self.parameters.flat
        self.layout = Layout.of(stacks, flat.device)
        self.momentum = torch.zeros_like(flat[: self.layout.size])
        self.adam = Adam(self.parameters, config, num_steps, start=self.layout.size)
        self.rates = self.adam.rates
        rates, _ = learning_rates(config.schedule, num_steps, config.muon_lr)
        table = np.stack((rates, 1 - rates * config.weight_decay), axis=1)
        self.table = torch.from_numpy(table.astype(np.float32)).to(flat.device)

    def step(self, index: Tensor) -> Tensor:
        gradient, size = self.parameters.gradient(), self.layout.size
        kernels.muon_update(
            self.parameters.flat[:size], self.momentum, gradient.vector[:size], self.layout,
            self.table[index].squeeze(0), gradient.factor, gradient.finite,
        )  # fmt: skip
        self.adam.update(gradient, index)
        return gradient.norm

    def state(self) -> dict[str, Tensor]:
        return {**self.adam.state(), "momentum": self.momentum}


def by_shape(
    matrices: Sequence[tuple[nn.Parameter, int]],
) -> tuple[list[nn.Parameter], list[Stack]]:
    """Weights in an order that keeps matrices of one shape together, and their stacks."""
    groups: dict[tuple[int, int], list[tuple[nn.Parameter, int]]] = {}
    for weight, parts in matrices:
        rows, columns = weight.shape
        groups.setdefault((rows // parts, columns), []).append((weight, parts))
    weights = [weight for group in groups.values() for weight, _ in group]
    counts = [sum(parts for _, parts in group) for group in groups.values()]
    return weights, [Stack(count, *shape) for count, shape in zip(counts, groups, strict=True)]
