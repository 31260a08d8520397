"""Losses of steps from frame to frame, of which some change next to nothing.

Beside a change of next to nothing every error is large: a flow that has come to rest would be all
that is learned. Such steps count less, so that their errors are told beside a tenth of the usual
change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from llt.data.batch import Batch
from llt.problem import Problem
from llt.training.loss.relative_l2 import Whole, alone

if TYPE_CHECKING:
    from llt.training.loss import Loss

LEAST = 0.1  # of the usual change


class OfSteps:
    """See `Loss`; `loss` is relative to the target."""

    def __init__(self, loss: Loss, problem: Problem, typical: float, whole: Whole = alone) -> None:
        self.loss, self.problem, self.least, self.whole = loss, problem, LEAST * typical, whole

    def __call__(self, prediction: Tensor, batch: Batch) -> Tensor:
        target, weights = batch.u, batch.weights(self.problem)
        if weights is not None:
            target = target * weights.sqrt()
        target = target if batch.own is None else target[:, batch.own]
        size = target.flatten(1).norm(dim=1)
        size = self.whole(size) / self.whole(torch.full_like(size, target[0].numel() ** 0.5))
        # where nothing changes at all, errors are told beside the usual change already
        share = torch.where(size > 0, (size / self.least).clamp(max=1), 1.0)
        return self.loss(prediction, batch) * share
