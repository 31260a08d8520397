"""The training loss and the error every table reports."""

from __future__ import annotations

from torch import Tensor


def relative_l2(prediction: Tensor, target: Tensor, mask: Tensor | None = None) -> Tensor:
    """|prediction - target| / |target| of every sample, norms over points and channels: (B,)."""
    difference = prediction - target
    if mask is not None:
        difference, target = (z * mask.unsqueeze(-1) for z in (difference, target))
    # a target of zeros has no relative error; the floor keeps it from being NaN
    size = target.flatten(1).norm(dim=1).clamp(min=1e-30)
    return difference.flatten(1).norm(dim=1) / size
