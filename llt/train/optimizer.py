"""Adam and AdamW over one flat vector of all parameters.

torch.optim takes Adam's momentum as a host number, so it cannot follow a momentum schedule
inside a captured CUDA graph; and one flat vector turns clipping and the update into a dozen
kernels whatever the number of parameters. The numbers are those of torch.optim.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from llt.train.config import TrainConfig
from llt.train.schedule import Array, learning_rates

BETA2, EPS = 0.999, 1e-8


class FlatAdam:
    """Holds the parameters of `model` as views of `flat`; everything it remembers is a tensor."""

    def __init__(self, model: nn.Module, config: TrainConfig, num_steps: int) -> None:
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        self.flat = torch.cat([p.detach().reshape(-1) for p in self.parameters])
        self.first, self.second = torch.zeros_like(self.flat), torch.zeros_like(self.flat)
        pieces = self.flat.split([p.numel() for p in self.parameters])
        for parameter, piece in zip(self.parameters, pieces, strict=True):
            parameter.data = piece.view_as(parameter)
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
        """One update with the coefficients of step `index` (1,); gives the gradient's norm."""
        beta1, one_minus_beta1, step_size, root_correction, decay = self.table[index].unbind(1)
        grads = [p.grad if p.grad is not None else torch.zeros_like(p) for p in self.parameters]
        grad = torch.cat([g.reshape(-1) for g in grads])
        norm = grad.norm()
        if self.clip:
            grad *= (self.clip / (norm + 1e-6)).clamp(max=1)
        if self.decoupled:
            self.flat *= decay
        else:
            grad += self.weight_decay * self.flat
        self.first.mul_(beta1).add_(grad * one_minus_beta1)
        self.second.mul_(BETA2).addcmul_(grad, grad, value=1 - BETA2)
        denominator = self.second.sqrt().div_(root_correction).add_(EPS)
        self.flat -= self.first / denominator * step_size
        return norm

    def state(self) -> dict[str, Tensor]:
        return {"flat": self.flat, "first": self.first, "second": self.second}

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
