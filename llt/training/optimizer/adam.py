"""Adam and AdamW over one vector of all parameters, with the numbers of torch.optim.

torch.optim takes Adam's momentum as a host number, so it cannot follow a momentum schedule
inside a captured CUDA graph.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from llt import kernels
from llt.training.config import TrainConfig
from llt.training.optimizer.flat import FlatParameters, Gradient
from llt.training.schedule import Array, learning_rates

BETA2, EPS = 0.999, 1e-8


class Adam:
    """See `Optimizer`; updates the parameters from `start` on, those before are another's."""

    def __init__(
        self, parameters: FlatParameters, config: TrainConfig, num_steps: int, start: int = 0
    ) -> None:
        self.parameters, self.start = parameters, start
        self.first, self.second = (torch.zeros_like(parameters.flat[start:]) for _ in range(2))
        self.decoupled = config.optimizer != "adam"
        self.weight_decay = config.weight_decay
        self.rates, beta1 = learning_rates(config.schedule, num_steps, config.lr)
        table = _coefficients(self.rates, beta1, config.weight_decay)
        self.table = table.to(parameters.flat.device)

    def step(self, index: Tensor) -> Tensor:
        gradient = self.parameters.gradient()
        self.update(gradient, index)
        return gradient.norm

    def update(self, gradient: Gradient, index: Tensor) -> None:
        kernels.adam_update(
            self.parameters.flat[self.start :], self.first, self.second,
            gradient.vector[self.start :], self.table[index].squeeze(0),
            gradient.factor, gradient.finite,
            beta2=BETA2, eps=EPS, weight_decay=self.weight_decay, decoupled=self.decoupled,
        )  # fmt: skip

    def state(self) -> dict[str, Tensor]:
        return {**self.parameters.state(), "first": self.first, "second": self.second}


def _coefficients(rates: Array, beta1: Array, weight_decay: float) -> Tensor:
    """What the update needs at every step, computed in double precision: (num_steps, 5)."""
    count = np.arange(1, len(rates) + 1)
    columns = (
        beta1,
        1 - beta1,
        rates / (1 - beta1**count),
        np.sqrt(1 - BETA2**count),
        1 - rates * weight_decay,
    )
    return torch.from_numpy(np.stack(columns, axis=1).astype(np.float32))
