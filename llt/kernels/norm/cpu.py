"""`rms_norm` with half as many passes over the points as automatic differentiation takes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from llt.kernels.derivatives import first_derivative_only


class Unit(torch.autograd.Function):
    """x / (rms(x) + ε)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, eps: float) -> Tensor:
        rms = torch.linalg.vector_norm(x, dim=-1, keepdim=True) / x.shape[-1] ** 0.5
        unit = x / (rms + eps)
        ctx.save_for_backward(unit, rms)
        ctx.eps = eps
        return unit

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, up: Tensor) -> tuple[Tensor, None]:
        unit, rms = ctx.saved_tensors
        # of a point that is zero, rms has no slope: only the first term is left
        along = torch.linalg.vecdot(up, unit).unsqueeze(-1) / (
            unit.shape[-1] * rms.clamp(min=1e-30)
        )
        return torch.addcmul(up / (rms + ctx.eps), unit, along, value=-1), None


def rms_norm(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    return Unit.apply(x, eps) * gain
