"""Thin products of many points, as oneDNN computes them best."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

LARGE = 2**25  # multiplications


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b of (B, N, D), as a 1 x 1 convolution over a line of points.

    oneDNN's convolutions, forward and backward, beat its products of matrices this thin. Small
    ones, and those of a torch built without it, are left as they are.
    """
    if x.numel() * len(weight) < LARGE or not torch.backends.mkldnn.is_available():
        return F.linear(x, weight, bias)
    line = x.unsqueeze(1).permute(0, 3, 1, 2)  # (B, D, 1, N), channels last: a view
    return F.conv2d(line, weight[:, :, None, None], bias).permute(0, 2, 3, 1).squeeze(1)
