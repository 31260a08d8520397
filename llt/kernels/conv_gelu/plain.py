"""The definition of the first convolution."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor


def conv_gelu(fields: Tensor, weight: Tensor, bias: Tensor, grid: tuple[int, ...]) -> Tensor:
    """gelu(W * fields + b) of (B, N, C) on the grid, zeros around it: (B, N, D)."""
    convolve = F.conv2d if len(grid) == 2 else F.conv3d
    image = fields.transpose(1, 2).unflatten(-1, grid)
    out = convolve(image, weight, bias, padding=weight.shape[-1] // 2)
    return F.gelu(out).flatten(2).transpose(1, 2)
