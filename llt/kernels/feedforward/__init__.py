"""h + W_o (silu(W_g n) ⊙ W_u n), n = rms_norm(h); W_g and W_u stand one above the other."""

from __future__ import annotations

from torch import Tensor

from llt.kernels.choice import on_cpu
from llt.kernels.feedforward import cpu, plain


def gated(n: Tensor, weight: Tensor) -> Tensor:
    """See `plain.gated`."""
    return (cpu if on_cpu(n) else plain).gated(n, weight)
