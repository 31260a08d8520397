"""What training minimizes. A loss sees predictions in physical units, and of the batch the
targets with the points and the weights at which they count.
"""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from llt.data.batches import Batch
from llt.problem import Problem
from llt.training.loss.relative_l2 import RelativeL2, relative_l2

__all__ = ["Loss", "RelativeL2", "build_loss", "relative_l2"]


class Loss(Protocol):
    def __call__(self, prediction: Tensor, batch: Batch) -> Tensor:
        """The loss of every sample, (B,), of a prediction (B, N, Cu)."""


def build_loss(problem: Problem) -> Loss:
    return RelativeL2(problem)
