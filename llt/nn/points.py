"""Averages over the points of each sample, padding left out.

Shapes: B batch, N points; features of any shape stand behind.
"""

from __future__ import annotations

import torch
from torch import Tensor


def point_weights(z: Tensor, mask: Tensor | None = None) -> Tensor:
    """1 / n at the n real points of every sample, 0 at padding: (B, N)."""
    # at least float32: 16-bit floats cannot count the points of a mesh
    dtype = torch.promote_types(z.dtype, torch.float32)
    if mask is None:
        return torch.full(z.shape[:2], 1 / z.shape[1], dtype=dtype, device=z.device)
    real = mask.to(dtype)
    return real / real.sum(dim=1, keepdim=True).clamp(min=1)
