"""Normalization layers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

TINY = 1e-30


class RMSNorm(nn.Module):
    """x / (rms(x) + ε) with a learned gain, the root mean square taken over the channels.

    ε is outside the root, as in the paper; torch.nn.RMSNorm puts it inside.
    """

    def __init__(self, dim: int, *, eps: float = 1e-6) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        # statistics in float32 also under autocast: squares of 16-bit numbers overflow early
        return _Unit.apply(x.float(), self.eps).mul(self.gain).to(x.dtype)


class _Unit(torch.autograd.Function):
    """x / (rms(x) + ε), with half as many passes over x as automatic differentiation takes."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, eps: float) -> Tensor:
        rms = torch.linalg.vector_norm(x, dim=-1, keepdim=True) / x.shape[-1] ** 0.5
        unit = x / (rms + eps)
        ctx.save_for_backward(unit, rms)
        ctx.eps = eps
        return unit

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, up: Tensor) -> tuple[Tensor, None]:
        unit, rms = ctx.saved_tensors
        # of a point that is zero, rms has no slope: only the first term is left
        along = torch.linalg.vecdot(up, unit).unsqueeze(-1) / (unit.shape[-1] * rms.clamp(min=TINY))
        return torch.addcmul(up / (rms + ctx.eps), unit, along, value=-1), None
