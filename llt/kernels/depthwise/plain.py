"""The definition of the depthwise convolution."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor


def depthwise_conv(n: Tensor, weight: Tensor, bias: Tensor, grid: tuple[int, ...]) -> Tensor:
    """Each channel of (B, N, D) convolved over the grid, zeros around it; weight (D, 1, k, k)."""
    conv = F.conv2d if len(grid) == 2 else F.conv3d
    image = n.transpose(1, 2).unflatten(-1, grid)  # (B, D, *grid), a view
    half = weight.shape[-1] // 2
    out = conv(image, weight, bias, padding=half, groups=len(weight))
    return out.flatten(2).transpose(1, 2)
