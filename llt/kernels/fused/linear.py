"""A product with a weight whose gradient is added up in float32."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.sums import bias_gradient, weight_gradient


class Linear(torch.autograd.Function):
    """n Wᵀ + b in n's type."""

    @staticmethod
    def forward(ctx: Any, n: Tensor, weight: Tensor, bias: Tensor | None, narrow: Tensor) -> Tensor:
        ctx.save_for_backward(n, narrow)
        ctx.biased = bias is not None
        return F.linear(n, narrow, None if bias is None else bias.to(n.dtype))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        n, weight = ctx.saved_tensors
        dbias = bias_gradient(dout) if ctx.biased else None
        return dout @ weight, weight_gradient(dout, n), dbias, None
