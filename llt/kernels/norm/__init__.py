"""n = x / (rms(x) + ε) · gain, the root mean square taken over the channels."""

from __future__ import annotations

from torch import Tensor

from llt.kernels.choice import on_cpu
from llt.kernels.norm import cpu, plain


def rms_norm(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    """See `plain.rms_norm`."""
    return (cpu if on_cpu(x) else plain).rms_norm(x, gain, eps)
