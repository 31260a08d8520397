"""The block's plain operations for the CPU, with few passes over the points.

A CPU is bound by memory: what costs is every pass over (B, N, D), and rearranging heads most of
all. So heads stay side by side and are multiplied one after the other where they lie. Each
function equals its twin in `reference`.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.reference import phi

LARGE = 2**25  # multiplications


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b of (B, N, D), as a 1 x 1 convolution over a line of points.

    oneDNN's convolutions, forward and backward, beat the products of so thin matrices. Small
    ones, and those of a torch built without it, are left as they are.
    """
    if x.numel() * len(weight) < LARGE or not torch.backends.mkldnn.is_available():
        return F.linear(x, weight, bias)
    line = x.unsqueeze(1).permute(0, 3, 1, 2)  # (B, D, 1, N), channels last: a view
    return F.conv2d(line, weight[:, :, None, None], bias).permute(0, 2, 3, 1).squeeze(1)


class LinearAttention(torch.autograd.Function):
    """far (B, N, D) of q, k, v (B, N, D); `mask` (B, N) or None."""

    @staticmethod
    def forward(
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, heads: int, eps: float
    ) -> Tensor:
        q, k = phi(q), phi(k)
        if mask is not None:
            k *= mask.unsqueeze(-1)
        kv, z = _sums(k, v, heads), k.sum(dim=1, keepdim=True)
        below = _dot(q, z, heads).add_(eps).reciprocal_()  # (B, N, H)
        far = _apply(q, kv)
        _by_head(far, heads).mul_(below.unsqueeze(-1))
        ctx.save_for_backward(q, k, v, kv, z, below, far)
        return far

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, up: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, kv, z, below, far = ctx.saved_tensors
        heads = below.shape[-1]
        dabove = (_by_head(up, heads) * below.unsqueeze(-1)).flatten(2)
        dbelow = _dot(dabove, far, heads).neg_()
        dkv = _sums(q, dabove, heads)
        dz = (_by_head(q, heads) * dbelow.unsqueeze(-1)).sum(dim=1, keepdim=True)
        dq = _apply(dabove, kv.mT)
        _by_head(dq, heads).addcmul_(_by_head(z, heads), dbelow.unsqueeze(-1))
        dk = _apply(v, dkv.mT).add_(dz.flatten(2))
        # times φ's slope, which is 0 where masked
        dq, dk = dq.mul_(q.clamp(max=1)), dk.mul_(k.clamp(max=1))
        return dq, dk, _apply(k, dkv), None, None, None


class Blend(torch.autograd.Function):
    """sigmoid(g) ⊙ (α far + (1 - α) near)."""

    @staticmethod
    def forward(ctx: Any, g: Tensor, far: Tensor, near: Tensor, alpha: float) -> Tensor:
        gate, both = g.sigmoid(), torch.lerp(near, far, alpha)
        ctx.save_for_backward(gate, both)
        ctx.alpha = alpha
        return gate * both

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, up: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        gate, both = ctx.saved_tensors
        dboth = up * gate
        dg = dboth * both
        dg = torch.addcmul(dg, dg, gate, value=-1)
        return dg, ctx.alpha * dboth, dboth.mul_(1 - ctx.alpha), None


def _by_head(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1))


def _dot(x: Tensor, y: Tensor, heads: int) -> Tensor:
    """Sum of x y over the channels of each head: (B, N, H)."""
    return torch.linalg.vecdot(_by_head(x, heads), _by_head(y, heads))


def _apply(x: Tensor, matrices: Tensor) -> Tensor:
    """Each head of x (B, N, D) times its matrix (B, H, C, C)."""
    out = x.new_empty(x.shape)
    C = matrices.shape[-1]
    for head, matrix in enumerate(matrices.unbind(1)):
        part = slice(C * head, C * head + C)
        torch.bmm(x[..., part], matrix, out=out[..., part])
    return out


def _sums(x: Tensor, y: Tensor, heads: int) -> Tensor:
    """Σ x yᵀ over the points, head by head: (B, H, C, C)."""
    pairs = zip(x.chunk(heads, dim=-1), y.chunk(heads, dim=-1), strict=True)
    return torch.stack([left.mT @ right for left, right in pairs], dim=1)
