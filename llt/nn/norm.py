"""Normalization layers."""

from __future__ import annotations

import torch
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
