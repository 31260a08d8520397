"""The relative L2 error: the training loss, and the error every table reports."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from llt.data.batch import Batch
from llt.problem import Problem

Whole = Callable[[Tensor], Tensor]  # norms over a part of a mesh to those over all of it


def alone(norms: Tensor) -> Tensor:
    """Where a part is all."""
    return norms


class RelativeL2:
    """See `Loss`; fields count on the points where they exist, with the problem's weights."""

    def __init__(self, problem: Problem, typical: float = 1.0, whole: Whole = alone) -> None:
        self.problem, self.typical, self.whole = problem, typical, whole

    def __call__(self, prediction: Tensor, batch: Batch) -> Tensor:
        u, weights = batch.u, batch.weights(self.problem)
        if batch.own is not None:
            prediction, u = prediction[:, batch.own], u[:, batch.own]
            weights = None if weights is None else weights[:, batch.own]
        return relative_l2(prediction, u, weights, self.typical, self.whole)


def relative_l2(
    prediction: Tensor,
    target: Tensor,
    weights: Tensor | None = None,
    typical: float = 1.0,
    whole: Whole = alone,
) -> Tensor:
    """|√w (prediction - target)| / |√w target| of every sample, over points and channels: (B,).

    A target of zeros has no size to be relative to: it counts as if its values were `typical`.
    """
    difference = prediction - target
    if weights is not None:
        root = weights.sqrt()
        difference, target = difference * root, target * root
    size = whole(target.flatten(1).norm(dim=1))
    usual = whole(torch.full_like(size, typical * target[0].numel() ** 0.5))
    return whole(difference.flatten(1).norm(dim=1)) / torch.where(size > 0, size, usual)
