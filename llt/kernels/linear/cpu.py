"""Thin products of many points, as oneDNN computes them best."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

LARGE = 2**22  # multiplications


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b of (B, ..., D).

    oneDNN's convolutions, forward and backward, beat its products of matrices this thin. Small
    ones, those in double precision, and those of a torch built without it are left as they are.
    """
    if x.numel() * len(weight) < LARGE or not has_convolutions(x):
        return F.linear(x, weight, bias)
    return convolved(x.flatten(1, -2), weight, bias).unflatten(1, x.shape[1:-1])


def has_convolutions(x: Tensor) -> bool:
    """Whether torch was built with oneDNN, which has none in double precision."""
    return x.dtype != torch.float64 and torch.backends.mkldnn.is_available()


def convolved(x: Tensor, weight: Tensor, bias: Tensor | None = None, groups: int = 1) -> Tensor:
    """x Wᵀ + b of (B, N, D) as a 1 x 1 convolution over a line of points, in groups of channels.

    A dilation changes nothing where a kernel is one pixel, but torch then takes oneDNN also in one
    thread; what it takes otherwise is two to three times slower on some processors.
    """
    line = x.unsqueeze(1).permute(0, 3, 1, 2)  # (B, D, 1, N), channels last: a view
    out = F.conv2d(line, weight[:, :, None, None], bias, dilation=2, groups=groups)
    return out.permute(0, 2, 3, 1).squeeze(1)
