"""Normalization layers."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt import kernels


class RMSNorm(nn.Module):
    """x / (rms(x) + ε) with a learned gain, the root mean square taken over the channels.

    ε is outside the root, as in the paper; torch.nn.RMSNorm puts it inside.
    """

    def __init__(self, dim: int, *, eps: float = 1e-6) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        # statistics at least in float32, also under autocast: squares of 16-bit numbers overflow
        wide = x if x.itemsize >= 4 else x.float()
        return kernels.rms_norm(wide, self.gain, self.eps).to(x.dtype)


class InstanceNorm(nn.Module):
    """Mean 0 and variance 1 over the grid, for every channel of every sample; then gain and shift.

    What torch's batch normalization does to a batch of one. torch's own instance normalization
    refuses a grid of one point.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gain, self.shift = nn.Parameter(torch.ones(dim)), nn.Parameter(torch.zeros(dim))

    def forward(self, h: Tensor) -> Tensor:  # (B, D, *grid), both ways
        channels = (-1, *(1,) * (h.ndim - 2))
        normed = F.layer_norm(h, h.shape[2:])
        return normed * self.gain.view(channels) + self.shift.view(channels)
