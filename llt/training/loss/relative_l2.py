"""The relative L2 error: the training loss, and the error every table reports."""

from __future__ import annotations

import torch
from torch import Tensor

from llt.data.batch import Batch
from llt.problem import Problem


class RelativeL2:
    """See `Loss`; fields count on the points where they exist, with the problem's weights."""

    def __init__(self, problem: Problem, typical: float = 1.0) -> None:
        self.problem, self.typical = problem, typical

    def __call__(self, prediction: Tensor, batch: Batch) -> Tensor:
        return relative_l2(prediction, batch.u, batch.weights(self.problem), self.typical)


def relative_l2(
    prediction: Tensor, target: Tensor, weights: Tensor | None = None, typical: float = 1.0
) -> Tensor:
    """|√w (prediction - target)| / |√w target| of every sample, over points and channels: (B,).

    A target of zeros has no size to be relative to: it counts as if its values were `typical`.
    """
    difference = prediction - target
    if weights is not None:
        root = weights.sqrt()
        difference, target = difference * root, target * root
    size = target.flatten(1).norm(dim=1)
    size = torch.where(size > 0, size, typical * target[0].numel() ** 0.5)
    return difference.flatten(1).norm(dim=1) / size
