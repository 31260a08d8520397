"""What training minimizes. A loss sees predictions in physical units, and of the batch the
targets with the points and the weights at which they count.
"""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from llt.data.batch import Batch
from llt.errors import ConfigError
from llt.problem import Problem
from llt.training.loss.derivative import WithDerivatives
from llt.training.loss.relative_l2 import RelativeL2, Whole, alone, relative_l2
from llt.training.loss.steps import OfSteps

__all__ = ["Loss", "OfSteps", "RelativeL2", "WithDerivatives", "build_loss", "relative_l2"]


class Loss(Protocol):
    def __call__(self, prediction: Tensor, batch: Batch) -> Tensor:
        """The loss of every sample, (B,), of a prediction (B, N, Cu)."""


def build_loss(
    problem: Problem,
    *,
    derivative: float = 0.0,
    graph: bool = False,
    typical: float = 1.0,
    whole: Whole = alone,
) -> Loss:
    """The loss of the settings.

    Args:
        graph: point sets come with their neighbors.
        typical: the size of the outputs.
        whole: what makes norms over a mesh of those over its parts.
    """
    if not derivative:
        return RelativeL2(problem, typical, whole)
    if problem.grid is None and not graph:
        raise ConfigError(
            f"train.derivative={derivative:g}: {problem.name} has no grid, and the model asks for "
            "no graph of neighbors; use train.derivative=0, or model llt"
        )
    return WithDerivatives(problem, derivative, typical, whole)
