"""The definition of `rms_norm`."""

from __future__ import annotations

import torch
from torch import Tensor


def rms_norm(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    """x / (rms(x) + ε) with a gain; ε is outside the root, as in the paper."""
    rms = torch.linalg.vector_norm(x, dim=-1, keepdim=True) / x.shape[-1] ** 0.5
    return x / (rms + eps) * gain
