"""`gated` with two products instead of one that has to be taken apart."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from llt.kernels.linear.cpu import linear


def gated(n: Tensor, weight: Tensor) -> Tensor:
    gate, up = (linear(n, part) for part in weight.chunk(2))
    return F.silu(gate) * up
