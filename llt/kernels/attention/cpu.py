"""The attention's halves for the CPU, with few passes over the points.

A CPU is bound by memory: what costs is every pass over (B, N, D), and rearranging heads most of
all. So heads stay side by side and are multiplied one after the other where they lie.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from llt.kernels.attention.plain import EPS, State
from llt.kernels.derivatives import first_derivative_only
from llt.kernels.linear.cpu import convolved, has_convolutions

LARGE = 2**16  # numbers of a sample


def attention_state(k: Tensor, v: Tensor, heads: int, mask: Tensor | None = None) -> State:
    return State(*Reduce.apply(k, v, heads, mask))


def attend(q: Tensor, state: State) -> Tensor:
    return Attend.apply(q, *state)


def blend(g: Tensor, global_: Tensor, local: Tensor, alpha: float) -> Tensor:
    return Blend.apply(g, global_, local, alpha)


class Reduce(torch.autograd.Function):
    """Σ φ(k) vᵀ (B, H, C, C) and Σ φ(k) (B, H, C) of k, v (B, N, D); `mask` (B, N) or None."""

    @staticmethod
    def forward(
        ctx: Any, k: Tensor, v: Tensor, heads: int, mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        feature = _phi(k)
        if mask is not None:
            feature *= mask.unsqueeze(-1)
        ctx.save_for_backward(feature, v)
        return _sums(feature, v, heads), _by_head(feature.sum(dim=1), heads)

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, dkv: Tensor, dz: Tensor) -> tuple[Tensor | None, ...]:
        feature, v = ctx.saved_tensors
        dk = _apply(v, dkv.mT).add_(dz.flatten(1).unsqueeze(1))
        # φ's slope is min(φ, 1), and 0 where masked
        return dk.mul_(feature.clamp(max=1)), _apply(feature, dkv), None, None


class Attend(torch.autograd.Function):
    """φ(q) S / (φ(q) z + ε), (B, N, D) of q (B, N, D)."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, kv: Tensor, z: Tensor) -> Tensor:
        heads = z.shape[1]
        feature, row = _phi(q), z.flatten(1).unsqueeze(1)
        below = _dot(feature, row, heads).add_(EPS).reciprocal_()  # (B, N, H)
        out = _apply(feature, kv)
        _by_head(out, heads).mul_(below.unsqueeze(-1))
        ctx.save_for_backward(feature, kv, row, below, out)
        return out

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, up: Tensor) -> tuple[Tensor, ...]:
        feature, kv, row, below, out = ctx.saved_tensors
        heads = below.shape[-1]
        dabove = (_by_head(up, heads) * below.unsqueeze(-1)).flatten(2)
        dbelow = _dot(dabove, out, heads).neg_()
        dkv = _sums(feature, dabove, heads)
        dz = (_by_head(feature, heads) * dbelow.unsqueeze(-1)).sum(dim=1)
        dq = _apply(dabove, kv.mT)
        _by_head(dq, heads).addcmul_(_by_head(row, heads), dbelow.unsqueeze(-1))
        return dq.mul_(feature.clamp(max=1)), dkv, dz


class Blend(torch.autograd.Function):
    """sigmoid(g) ⊙ (α global + (1 - α) local)."""

    @staticmethod
    def forward(ctx: Any, g: Tensor, global_: Tensor, local: Tensor, alpha: float) -> Tensor:
        gate, both = g.sigmoid(), torch.lerp(local, global_, alpha)
        ctx.save_for_backward(gate, both)
        ctx.alpha = alpha
        return gate * both

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, up: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        gate, both = ctx.saved_tensors
        dboth = up * gate
        dg = dboth * both
        dg = torch.addcmul(dg, dg, gate, value=-1)
        return dg, ctx.alpha * dboth, dboth.mul_(1 - ctx.alpha), None


def _phi(y: Tensor) -> Tensor:
    """elu(y) + 1 without a mask, which would be another pass."""
    return y.clamp(max=0).exp() + y.clamp(min=0)


def _by_head(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1))


def _dot(x: Tensor, y: Tensor, heads: int) -> Tensor:
    """Sum of x y over the channels of each head: (B, N, H)."""
    return torch.linalg.vecdot(_by_head(x, heads), _by_head(y, heads))


def _apply(x: Tensor, matrices: Tensor) -> Tensor:
    """Each head of x (B, N, D) times its matrix (B, H, C, C)."""
    if x[:1].numel() >= LARGE and has_convolutions(x):
        return _convolved(x, matrices)
    out = x.new_empty(x.shape)
    C = matrices.shape[-1]
    for head, matrix in enumerate(matrices.unbind(1)):
        part = slice(C * head, C * head + C)
        torch.bmm(x[..., part], matrix, out=out[..., part])
    return out


def _convolved(x: Tensor, matrices: Tensor) -> Tensor:
    """The same, a head being a group of channels."""
    groups, weights = matrices.shape[1], matrices.mT.flatten(1, 2)
    if len(x) == 1:  # as it comes: copies of large meshes take longer than the products
        return convolved(x, weights[0], groups=groups)
    out = x.new_empty(x.shape)
    for sample, line, weight in zip(out, x.split(1), weights, strict=True):
        sample.copy_(convolved(line, weight, groups=groups)[0])
    return out


def _sums(x: Tensor, y: Tensor, heads: int) -> Tensor:
    """Σ x yᵀ over the points, head by head: (B, H, C, C)."""
    pairs = zip(x.chunk(heads, dim=-1), y.chunk(heads, dim=-1), strict=True)
    return torch.stack([left.mT @ right for left, right in pairs], dim=1)
