"""The definition of the embedding and the skip connection."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor


def embed(
    s: Tensor, first: Tensor, first_bias: Tensor, second: Tensor, second_bias: Tensor, skip: Tensor
) -> tuple[Tensor, Tensor]:
    """W_2 gelu(W_1 s + b_1) + b_2, and W_skip s."""
    hidden = F.gelu(F.linear(s, first, first_bias))
    return F.linear(hidden, second, second_bias), F.linear(s, skip)
