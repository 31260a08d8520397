"""A product with a weight, whose gradient is added up in float32."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.weight_gradient import weight_gradients


class Linear(torch.autograd.Function):
    """n W^T in n's type; W is (m D, D)."""

    @staticmethod
    def forward(ctx: Any, n: Tensor, weight: Tensor) -> Tensor:
        narrow = weight.to(n.dtype)
        ctx.save_for_backward(n, narrow)
        return n @ narrow.T

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, Tensor]:
        n, weight = ctx.saved_tensors
        D = n.shape[-1]
        dout = dout.contiguous()
        pairs = [(dout, first, n) for first in range(0, len(weight), D)]
        return dout @ weight, torch.cat(weight_gradients(pairs, D)[0])
