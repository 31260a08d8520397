"""A batch: what a model is given and asked for, as tensors in physical units.

Shapes: B batch, N points, d space dimensions, K neighbors, Ca and Cu channels.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from llt.problem import Problem


@dataclass(slots=True)
class Batch:
    """Samples of one size, or padded to the largest of them."""

    x: Tensor  # (B, N, d)
    a: Tensor  # (B, N, Ca), case parameters included
    u: Tensor  # (B, N, Cu)
    t: Tensor | None = None  # (B,)
    neighbors: Tensor | None = None  # (B, N, K)
    mask: Tensor | None = None  # (B, N), False on padding
    masks: dict[str, Tensor] = field(default_factory=dict)  # (B, N), where masked outputs exist
    grid: tuple[int, ...] | None = None  # that the points lie on; None: the problem's, if any
    own: slice | None = None  # the points that count, where others are there to be read; None: all

    def weights(self, problem: Problem) -> Tensor | None:
        """How much every value of u counts in a squared error, of a shape that broadcasts to u.

        The product of padding mask, the field's own mask and its weight; None where all are one.
        """
        fields = problem.outputs
        if all(field.weight == 1 and not field.mask for field in fields):
            return None if self.mask is None else self.mask.unsqueeze(-1).to(self.u.dtype)
        ones = torch.ones_like(self.u[..., 0])
        columns = [
            (self.masks[field.mask] if field.mask else ones) * field.weight for field in fields
        ]
        weights = torch.stack(columns, dim=-1).to(self.u.dtype)
        return weights if self.mask is None else weights * self.mask.unsqueeze(-1)
