"""The scale of the loss in fp16 training."""

from __future__ import annotations

import torch
from torch import Tensor


class LossScale:
    """A power of two that lifts gradients into the range of fp16; halved when one overflows.

    Everything is a tensor, so that a captured step can change it.
    """

    def __init__(self, device: torch.device, start: float = 2.0**12, patience: int = 500) -> None:
        self.value = torch.full((1,), start, device=device)
        # or since the scale last grew; after `patience` of them it grows again
        self.steps_since_overflow = torch.zeros(1, dtype=torch.long, device=device)
        self.patience = patience

    def update(self, finite: Tensor) -> None:
        """Take note of a gradient, finite or not."""
        steps = self.steps_since_overflow
        steps.copy_((steps + 1) * finite)
        grown = steps >= self.patience
        self.value.mul_(torch.where(finite, torch.where(grown, 2.0, 1.0), 0.5))
        steps.mul_(~grown)

    def state(self) -> dict[str, Tensor]:
        return {"scale": self.value, "steps_since_overflow": self.steps_since_overflow}
