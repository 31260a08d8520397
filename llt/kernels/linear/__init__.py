"""x Wᵀ + b at every point. The plain version is torch's own."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from llt.kernels.choice import on_cpu
from llt.kernels.linear import cpu


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x (..., D) times weight (E, D), transposed; many points (B, ..., D) are faster on the CPU."""
    return (cpu.linear if x.dim() > 2 and on_cpu(x) else F.linear)(x, weight, bias)
