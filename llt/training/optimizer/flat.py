"""All parameters of a model as one vector, and their gradient.

One vector turns clipping and an update into a few kernels, whatever the number of parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from llt.runtime.team import ALONE, Team
from llt.training.optimizer.scale import LossScale
from llt.training.optimizer.sums import Sums, flat_gradient


@dataclass(frozen=True, slots=True)
class Gradient:
    """A gradient and what an update must know of it."""

    vector: Tensor  # as the backward pass left it
    factor: Tensor  # it counts times this: clipped, and without the scale of the loss
    norm: Tensor  # before clipping, without the scale of the loss
    finite: Tensor | None  # where this is false, nothing may change; None: need not be asked


class FlatParameters:
    """Turns the parameters of `model` into views of the vector `flat`, those of `first` first."""

    def __init__(
        self,
        model: nn.Module,
        *,
        clip: float,
        scale: LossScale | None = None,
        first: Sequence[nn.Parameter] = (),
        team: Team = ALONE,
    ) -> None:
        placed = set(map(id, first))
        rest = [p for p in model.parameters() if p.requires_grad and id(p) not in placed]
        self._parameters = [*first, *rest]
        self.flat = torch.cat([p.detach().reshape(-1) for p in self._parameters])
        pieces = self.flat.split([p.numel() for p in self._parameters])
        for parameter, piece in zip(self._parameters, pieces, strict=True):
            parameter.data = piece.view_as(parameter)
        self.clip, self.scale = clip, scale
        self._sums = Sums(self._parameters, team) if team.size > 1 else None

    def __iter__(self) -> Iterator[nn.Parameter]:
        return iter(self._parameters)

    def zero_grad(self) -> None:
        for parameter in self:
            parameter.grad = None
        if self._sums:
            self._sums.begin()

    def scaled(self, loss: Tensor) -> Tensor:
        """The loss whose gradient `gradient` expects."""
        return loss if self.scale is None else loss * self.scale.value

    def gradient(self) -> Gradient:
        """What the backward pass left; the scale of the loss takes note of it."""
        sums = self._sums.finish() if self._sums else [flat_gradient(p) for p in self]
        vector = torch.cat(sums)
        norm = vector.norm()
        if self.scale is not None:
            norm = norm / self.scale.value
        factor = torch.ones_like(norm)
        if self.clip:
            factor = (self.clip / (norm + 1e-6)).clamp(max=1)
        finite = None
        if self.scale is not None:
            factor, finite = factor / self.scale.value, norm.isfinite()
            self.scale.update(finite)
        return Gradient(vector, factor, norm, finite)

    def state(self) -> dict[str, Tensor]:
        return {"flat": self.flat, **({} if self.scale is None else self.scale.state())}
