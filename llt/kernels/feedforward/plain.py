"""The definition of the feed-forward half."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from llt.kernels.norm.plain import rms_norm


def gated(n: Tensor, weight: Tensor) -> Tensor:
    """silu(W_g n) ⊙ W_u n, the two matrices one above the other."""
    gate, up = F.linear(n, weight).chunk(2, dim=-1)
    return F.silu(gate) * up


def feed_forward(h: Tensor, gain: Tensor, gate_up: Tensor, down: Tensor, eps: float) -> Tensor:
    """h + W_down (silu(W_gate n) ⊙ W_up n), n = rms_norm(h): the fused pass."""
    return h + F.linear(gated(rms_norm(h, gain, eps), gate_up), down)
