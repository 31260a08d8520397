"""The relative L2 error: the training loss, and the error every table reports."""

from __future__ import annotations

from torch import Tensor

from llt.data.batch import Batch
from llt.problem import Problem


class RelativeL2:
    """See `Loss`; fields count on the points where they exist, with the problem's weights."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def __call__(self, prediction: Tensor, batch: Batch) -> Tensor:
        return relative_l2(prediction, batch.u, batch.weights(self.problem))


def relative_l2(prediction: Tensor, target: Tensor, weights: Tensor | None = None) -> Tensor:
    """|√w (prediction - target)| / |√w target| of every sample, over points and channels: (B,)."""
    difference = prediction - target
    if weights is not None:
        root = weights.sqrt()
        difference, target = difference * root, target * root
    # a target of zeros has no relative error; the floor keeps it from being NaN
    size = target.flatten(1).norm(dim=1).clamp(min=1e-30)
    return difference.flatten(1).norm(dim=1) / size
