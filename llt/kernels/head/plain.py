"""The definition of the decoder."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from llt.kernels.norm.plain import rms_norm


def head(
    h: Tensor,
    skip: Tensor,
    gain: Tensor,
    first: Tensor,
    first_bias: Tensor,
    second: Tensor,
    second_bias: Tensor,
    eps: float,
) -> Tensor:
    """W_2 gelu(W_1 n + b_1) + b_2, n = rms_norm(h + skip)."""
    n = rms_norm(h + skip, gain, eps)
    return F.linear(F.gelu(F.linear(n, first, first_bias)), second, second_bias)
