"""The block's plain operations for the CPU, with few passes over the points.

A CPU is bound by memory: what costs is every pass over (B, N, D), and rearranging heads most of
all. So heads stay side by side and are multiplied one after the other where they lie, and
gradients of the parts of one product are not put together. Each function equals its twin in
`reference`.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable


class LinearAttention(torch.autograd.Function):
    """far (B, N, D) of n (B, N, D) and W_qkv (3 D, D); `mask` (B, N) or None."""

    @staticmethod
    def forward(
        ctx: Any, n: Tensor, weight: Tensor, mask: Tensor | None, heads: int, eps: float
    ) -> Tensor:
        q, k, v = F.linear(n, weight).chunk(3, dim=-1)
        q, k = _phi(q), _phi(k)
        if mask is not None:
            k *= mask.unsqueeze(-1)
        kv, z = _sums(k, v, heads), k.sum(dim=1, keepdim=True)
        below = _dot(q, z, heads).add_(eps).reciprocal_()  # (B, N, H)
        far = _apply(q, kv)
        _by_head(far, heads).mul_(below.unsqueeze(-1))
        ctx.save_for_backward(n, weight, q, k, v, kv, z, below, far)
        ctx.mask = mask
        return far

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, up: Tensor) -> tuple[Tensor | None, ...]:
        n, weight, q, k, v, kv, z, below, far = ctx.saved_tensors
        heads = below.shape[-1]
        dabove = (_by_head(up, heads) * below.unsqueeze(-1)).flatten(2)
        dbelow = _dot(dabove, far, heads).neg_()
        dkv = _sums(q, dabove, heads)
        dz = (_by_head(q, heads) * dbelow.unsqueeze(-1)).sum(dim=1, keepdim=True)
        dq = _apply(dabove, kv.mT)
        _by_head(dq, heads).addcmul_(_by_head(z, heads), dbelow.unsqueeze(-1))
        dk = _apply(v, dkv.mT).add_(dz.flatten(2))
        dq, dk = dq.mul_(q.clamp(max=1)), dk.mul_(k.clamp(max=1))  # φ's slope, 0 where masked
        dn, dweight = _product_gradients(n, weight, (dq, dk, _apply(k, dkv)))
        return dn, dweight, None, None, None


class Gated(torch.autograd.Function):
    """silu(W_g n) ⊙ W_u n, the two matrices one above the other."""

    @staticmethod
    def forward(ctx: Any, n: Tensor, weight: Tensor) -> Tensor:
        gate, up = F.linear(n, weight).chunk(2, dim=-1)
        ctx.save_for_backward(n, weight, gate, up)
        return F.silu(gate).mul_(up)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, above: Tensor) -> tuple[Tensor, Tensor]:
        n, weight, gate, up = ctx.saved_tensors
        dgate = torch.ops.aten.silu_backward(above * up, gate)
        return _product_gradients(n, weight, (dgate, F.silu(gate).mul_(above)))


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


def _phi(x: Tensor) -> Tensor:
    """elu(x) + 1 of part of a wider tensor, as a tensor of its own."""
    return x.clamp(max=0).exp_().add_(x.clamp(min=0))


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


def _product_gradients(n: Tensor, weight: Tensor, ups: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """Gradients of n and of the matrices, one above the other, that gave the parts of a product."""
    points = n.flatten(0, -2)
    dn, dweights = None, []
    for up, matrix in zip(ups, weight.chunk(len(ups)), strict=True):
        up = up.flatten(0, -2)
        dn = up @ matrix if dn is None else dn.addmm_(up, matrix)
        dweights.append(up.T @ points)
    assert dn is not None
    return dn.view_as(n), torch.cat(dweights)
