"""A product with a weight, whose gradient is added up in float32."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.sums import weight_gradient


class Linear(torch.autograd.Function):
    """n Wᵀ in n's type."""

    @staticmethod
    def forward(ctx: Any, n: Tensor, weight: Tensor) -> Tensor:
        narrow = weight.to(n.dtype)
        ctx.save_for_backward(n, narrow)
        return n @ narrow.T

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, Tensor]:
        n, weight = ctx.saved_tensors
        return dout @ weight, weight_gradient(dout, n)
