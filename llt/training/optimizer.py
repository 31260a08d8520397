"""Adam and AdamW over one flat vector of all parameters.

torch.optim takes Adam's momentum as a host number, so it cannot follow a momentum schedule
inside a captured CUDA graph; and one flat vector turns clipping and the update into a dozen
kernels whatever the number of parameters. The numbers are those of torch.optim.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from llt import kernels
from llt.training.config import TrainConfig
from llt.training.schedule import Array, learning_rates

BETA2, EPS = 0.999, 1e-8


class LossScale:
    """A power of two that lifts gradients into the range of fp16; halved when one overflows.

    Everything is a tensor, so that a captured step can change it.
    """

    def __init__(self, device: torch.device, start: float = 2.0**12, patience: int = 500) -> None:
        self.value = torch.full((1,), start, device=device)
        self.calm = torch.zeros(1, dtype=torch.long, device=device)  # steps since the last change
        self.patience = patience

    def update(self, finite: Tensor) -> None:
        self.calm.copy_((self.calm + 1) * finite)
        grown = self.calm >= self.patience
        self.value.mul_(torch.where(finite, torch.where(grown, 2.0, 1.0), 0.5))
        self.calm.mul_(~grown)


class FlatAdam:
    """Holds the parameters of `model` as views of `flat`; everything it remembers is a tensor."""

    def __init__(
        self,
        model: nn.Module,
        config: TrainConfig,
        num_steps: int,
        scale: LossScale | None = None,
    ) -> None:
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        self.flat = torch.cat([p.detach().reshape(-1) for p in self.parameters])
        self.first, self.second = torch.zeros_like(self.flat), torch.zeros_like(self.flat)
        pieces = self.flat.split([p.numel() for p in self.parameters])
        for parameter, piece in zip(self.parameters, pieces, strict=True):
            parameter.data = piece.view_as(parameter)
        self.scale = scale
        self.clip = config.clip
        self.decoupled = config.optimizer == "adamw"
        self.weight_decay = config.weight_decay
        self.rates, beta1 = learning_rates(config.schedule, num_steps, config.lr)
        table = _coefficients(self.rates, beta1, config.weight_decay)
        self.table = table.to(self.flat.device)

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def step(self, index: Tensor) -> Tensor:
        """One update with the coefficients of step `index` (1,); gives the gradient's norm.

        With a loss scale the gradient is divided by it, and one that is not finite changes
        nothing but the scale.
        """
        grads = [p.grad if p.grad is not None else torch.zeros_like(p) for p in self.parameters]
        gradient = torch.cat([g.reshape(-1) for g in grads])
        norm = gradient.norm()
        if self.scale is not None:
            norm = norm / self.scale.value
        factor = torch.ones_like(norm)
        if self.clip:
            factor = (self.clip / (norm + 1e-6)).clamp(max=1)
        if self.scale is not None:
            factor = factor / self.scale.value
        finite = None if self.scale is None else norm.isfinite()
        kernels.adam_update(
            self.flat, self.first, self.second, gradient, self.table[index].squeeze(0), factor,
            finite, beta2=BETA2, eps=EPS, weight_decay=self.weight_decay,
            decoupled=self.decoupled,
        )  # fmt: skip
        if self.scale is not None and finite is not None:
            self.scale.update(finite)
        return norm

    def state(self) -> dict[str, Tensor]:
        state = {"flat": self.flat, "first": self.first, "second": self.second}
        if self.scale is not None:
            state |= {"scale": self.scale.value, "calm": self.scale.calm}
        return state

    def load_state(self, state: dict[str, Tensor]) -> None:
        for name, tensor in self.state().items():
            tensor.copy_(state[name])


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
