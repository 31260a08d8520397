"""Rotary position encoding: scores of rotated queries and keys see coordinate differences only.

Shapes: B batch, N points, d coordinates, H heads, C channels per head.
"""

from __future__ import annotations

import torch
from torch import Tensor

from llt.errors import ConfigError


def pairs_per_axis(channels: int, axes: int) -> int:
    """How many pairs of channels each coordinate turns."""
    pairs = channels // (2 * axes)
    if pairs < 1:
        raise ConfigError(f"{channels} channels per head cannot encode {axes} coordinates")
    return pairs


def rotate(z: Tensor, x: Tensor, *, highest: float = 64.0, span: float = 1e4) -> Tensor:
    """Turn pairs of channels of z (B, N, H, C) by angles proportional to x (B, N, d).

    Frequencies fall geometrically from `highest` to about `highest / span`. Channels beyond a
    multiple of 2 d stay as they are.
    """
    pairs = pairs_per_axis(z.shape[-1], x.shape[-1])
    steps = torch.arange(pairs, device=x.device, dtype=x.dtype) / pairs
    angles = (x.unsqueeze(-1) * highest * span**-steps).flatten(-2).unsqueeze(2)  # (B, N, 1, d P)
    cos, sin = angles.cos(), angles.sin()
    turned = 2 * cos.shape[-1]
    first, second = z[..., :turned].chunk(2, dim=-1)
    return torch.cat(
        (first * cos - second * sin, first * sin + second * cos, z[..., turned:]), dim=-1
    )
