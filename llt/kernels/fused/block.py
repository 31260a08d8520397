"""A block of LLT as one differentiable function of the residual stream and its parameters.

The stream has the type of the products if that is fp16, whose eleven bits are enough for it, and
is float32 for bf16, whose eight are not. Of the forward pass only what costs most to compute
again is kept: n, proj, the local path's products, and the stream between the two halves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.depthwise import depthwise_conv, depthwise_gradient
from llt.kernels.fused.feedforward import feed_forward, feed_forward_gradient
from llt.kernels.fused.mix import mix, mix_gradient
from llt.kernels.fused.neighbors import neighbor_attention, neighbor_gradient
from llt.kernels.fused.norm import norm_gradient
from llt.kernels.fused.project import project, state_gradient
from llt.kernels.fused.weights import Product, weight_gradients


class Matrices(NamedTuple):
    """The matrices of a block in the type of the products."""

    qkv: Tensor
    gate: Tensor
    out: Tensor
    local: Tensor  # the pointwise half of the convolution, or q, k, v of the neighbor attention
    gate_up: Tensor
    down: Tensor


class Local(NamedTuple):
    """Where the local path finds its neighbors: a grid, or lists and their reverse."""

    grid: tuple[int, ...] | None = None
    lists: tuple[Tensor, Tensor, Tensor] | None = None


class Settings(NamedTuple):
    heads: int
    alpha: float
    eps: float  # of the attention
    norm_eps: float


class Block(torch.autograd.Function):
    """h (B, N, D) after the block, in h's type.

    Vectors and matrices are given in float32, for their gradients; the matrices once more in
    the type of the products. The convolution's four parameters are `local`; or only q, k, v.
    """

    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        film: Tensor | None,  # (B, 2 D): scale and shift
        mask: Tensor | None,  # (B, N)
        where: Local,
        settings: Settings,
        matrices: Matrices,
        gain: Tensor,
        qkv: Tensor,
        gate: Tensor,
        gate_bias: Tensor,
        out: Tensor,
        out_bias: Tensor,
        second_gain: Tensor,
        gate_up: Tensor,
        down: Tensor,
        *local: Tensor,
    ) -> Tensor:
        heads, alpha, eps, norm_eps = settings
        m = matrices
        n, proj, state = project(h, gain, film, mask, m.qkv, m.gate, gate_bias, heads, norm_eps)
        if where.grid is not None:
            weight, bias, _, point_bias = local
            c = depthwise_conv(n, weight, bias, where.grid)
            near = torch.addmm(point_bias.to(c.dtype), c.flatten(0, 1), m.local.T).view_as(c)
            kept = (c, weight)
        else:
            assert where.lists is not None
            c = n @ m.local.T
            near, lse = neighbor_attention(c, where.lists[0], heads)
            kept = (c, lse)
        middle = mix(h, proj, state, near, m.out, out_bias, alpha, eps)
        ctx.save_for_backward(h, film, n, proj, state, near, middle, gain, second_gain, *kept)
        ctx.where, ctx.settings, ctx.matrices = where, settings, matrices
        return feed_forward(middle, second_gain, m.gate_up, m.down, norm_eps)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        h, film, n, proj, state, near, middle, gain, second_gain, *kept = ctx.saved_tensors
        where, m = ctx.where, ctx.matrices
        _, alpha, eps, norm_eps = ctx.settings
        D, F = h.shape[-1], m.down.shape[1]
        kind = m.qkv.dtype
        dout = dout.contiguous()
        dh, dsecond_gain, hidden, dgate_up = feed_forward_gradient(
            middle, second_gain, m.gate_up, m.down, norm_eps, dout
        )
        dmixed = dh.to(kind) @ m.out
        dproj, dstate, dnear, mixed = mix_gradient(dmixed, proj, state, near, alpha, eps)
        if where.grid is not None:
            c, weight = kept
            dn, dweight, dbias = depthwise_gradient(n, weight, dnear @ m.local, where.grid)
            products = [Product(dnear, c)]
        else:
            dqkv = neighbor_gradient(kept[0], *where.lists, near, kept[1], dnear)
            dn = dqkv @ m.local
            products = [Product(left, n) for left in dqkv.chunk(3, -1)]
        state_gradient(proj, dproj, dstate)
        dqkv, dgate = dproj[..., : 3 * D], dproj[..., 3 * D :]
        dn.view(-1, D).addmm_(dqkv.flatten(0, 1), m.qkv)
        first_dh, dgain, dfilm = norm_gradient(
            h, gain, film, norm_eps, dn, dgate, m.gate, dh, pair=False
        )
        products = [
            *(Product(left, n) for left in dqkv.chunk(3, -1)),
            Product(dgate, h),
            Product(dh, mixed),
            Product(dout, hidden),
            *(Product(left, middle) for left in dgate_up.chunk(2, -1)),
            *products,
        ]
        sums = weight_gradients(products, kind)
        square, last = sums[:, :D], sums[:, D]
        near_grads = (
            (dweight, dbias, square[8], last[8])
            if where.grid is not None
            else (square[8:].reshape(3 * D, D),)
        )
        return (
            first_dh, dfilm, None, None, None, None,
            dgain, square[:3].reshape(3 * D, D), square[3], last[3], square[4], last[4],
            dsecond_gain, (square[6:8, :F] * second_gain).reshape(2 * F, D), square[5, :, :F],
            *near_grads,
        )  # fmt: skip
