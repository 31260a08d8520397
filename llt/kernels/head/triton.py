"""The decoder: the stream and the skip connection, a norm, and a pointwise network.

x = h + skip,  n = rms_norm(x),  u = W_2 gelu(W_1 n + b_1) + b_2
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.derivatives import first_derivative_only
from llt.kernels.norm.triton import added_norms, inverse_rms, norm_gradient, norm_partials
from llt.kernels.triton_tiles import (
    Launch,
    gelu,
    load_matrix,
    load_tile,
    partial_sums,
    reduce_partials,
    store_tile,
)
from llt.kernels.weight_gradients.triton import (
    Product,
    split_weights,
    weight_gradients,
    weight_partials,
)

FORWARD = Launch(rows=16, warps=4, shared_by=3, kilobytes=69)
BACKWARD = Launch(rows=32, warps=4, shared_by=3, kilobytes=44)
MOST = 16  # channels of u: the least that a product has
CHANNELS = tl.constexpr(MOST)


class Weights(NamedTuple):
    """Gain (D), matrices (2 D, D) and (channels, 2 D) with their biases."""

    gain: Tensor
    first: Tensor
    first_bias: Tensor
    second: Tensor
    second_bias: Tensor


@triton.jit
def _load_second(weight, half, OUT: tl.constexpr, D: tl.constexpr):
    """Half of the columns of W_2, zeros below it: (CHANNELS, D)."""
    row, col = tl.arange(0, CHANNELS)[:, None], tl.arange(0, D)[None, :]
    return tl.load(weight + row * 2 * D + half * D + col, mask=row < OUT, other=0.0)


@triton.jit
def _channels(index, N, OUT: tl.constexpr, ROWS: tl.constexpr):
    """Places of a tile of u, and which of them there are."""
    row, col = index * ROWS + tl.arange(0, ROWS)[:, None], tl.arange(0, CHANNELS)[None, :]
    return row * OUT + col, (row < N) & (col < OUT)


@triton.jit
def head_forward(
    h, skip, gain, w_first, b_first, w_second, b_second, x_out, u, N, eps,
    OUT: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    first, step, cols = tl.program_id(0), tl.num_programs(0), tl.arange(0, D)
    dtype = w_first.dtype.element_ty
    h += sample * N * D
    skip += sample * N * D
    x_out += sample * N * D
    u += sample * N * OUT
    w_0, w_1 = load_matrix(w_first, D, D), load_matrix(w_first + D * D, D, D)
    next_h = load_tile(h, first, N, ROWS, D, D)
    next_skip = load_tile(skip, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        x = next_h.to(tl.float32) + next_skip.to(tl.float32)
        next_h = load_tile(h, index + step, N, ROWS, D, D)
        next_skip = load_tile(skip, index + step, N, ROWS, D, D)
        store_tile(x_out, x, index, N, ROWS, D, D)
        # vectors are loaded where they are used: kept, they would take half of the registers
        n = x * inverse_rms(x, D, eps)[:, None] * tl.load(gain + cols)[None, :]
        z_0 = tl.dot(n.to(dtype), tl.trans(w_0)) + tl.load(b_first + cols)[None, :]
        z_1 = tl.dot(n.to(dtype), tl.trans(w_1)) + tl.load(b_first + D + cols)[None, :]
        g_0, g_1 = gelu(z_0)[0], gelu(z_1)[0]
        rows = index * ROWS + tl.arange(0, ROWS)
        for channel in tl.static_range(OUT):
            v = w_second + channel * 2 * D + cols
            v_0, v_1 = tl.load(v).to(tl.float32), tl.load(v + D).to(tl.float32)
            total = tl.sum(g_0 * v_0[None, :] + g_1 * v_1[None, :], axis=1)
            total += tl.load(b_second + channel)
            tl.store(u + rows * OUT + channel, total, mask=rows < N)


@triton.jit
def head_backward(
    x_in, gain, w_first, b_first, w_second, du, n_out, dz_out, part_out, N, eps,
    OUT: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """n, the gradient of W_1 n + b_1, and partial sums of W_2's; half of the hidden layer each."""
    sample, half = tl.program_id(1).to(tl.int64), tl.program_id(2)
    first, step, cols = tl.program_id(0), tl.num_programs(0), tl.arange(0, D)
    dtype = w_first.dtype.element_ty
    x_in += sample * N * D
    du += sample * N * OUT
    n_out += sample * N * D
    dz_out += sample * N * 2 * D + half * D
    w = load_matrix(w_first + half * D * D, D, D)
    v = _load_second(w_second, half, OUT, D)
    dv = tl.zeros((CHANNELS, D), tl.float32)
    ahead = load_tile(x_in, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        x = ahead.to(tl.float32)
        ahead = load_tile(x_in, index + step, N, ROWS, D, D)
        n = (x * inverse_rms(x, D, eps)[:, None] * tl.load(gain + cols)[None, :]).to(dtype)
        if half == 0:
            store_tile(n_out, n, index, N, ROWS, D, D)
        z = tl.dot(n, tl.trans(w)) + tl.load(b_first + half * D + cols)[None, :]
        g, slope = gelu(z)
        at, there = _channels(index, N, OUT, ROWS)
        up = tl.load(du + at, mask=there, other=0.0).to(dtype)
        dv = tl.dot(tl.trans(up), g.to(dtype), dv)
        store_tile(dz_out, tl.dot(up, v) * slope, index, N, ROWS, D, 2 * D)
    part = part_out + ((sample * step + first) * 2 + half) * CHANNELS * D
    tl.store(part + tl.arange(0, CHANNELS)[:, None] * D + cols[None, :], dv)


class Head(torch.autograd.Function):
    """u (B, N, channels) in float32; of `weights`, which are `parameters`, the matrices are in the
    type of the products."""

    @staticmethod
    def forward(
        ctx: Any, h: Tensor, skip: Tensor, weights: Weights, eps: float, *parameters: Tensor
    ) -> Tensor:
        B, N, D = h.shape
        out = len(weights.second)
        x, launch = torch.empty_like(h), FORWARD.at(D)
        u = h.new_empty(B, N, out, dtype=torch.float32)
        head_forward[(launch.programs(N, B), B)](
            h, skip, *weights, x, u, N, eps, OUT=out, D=D, **launch.flags
        )
        ctx.weights, ctx.eps = weights, eps
        ctx.save_for_backward(x)
        return u

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, du: Tensor) -> tuple[Tensor | None, ...]:
        (x,) = ctx.saved_tensors
        w: Weights = ctx.weights
        B, N, D = x.shape
        out, dtype, launch = len(w.second), w.first.dtype, BACKWARD.at(D)
        n, dz = (x.new_empty(B, N, size * D, dtype=dtype) for size in (1, 2))
        programs = launch.programs(N, 2 * B)
        parts = partial_sums(x, B * programs, 2, MOST, D)
        head_backward[(programs, B, 2)](
            x, w.gain, w.first, w.first_bias, w.second, du.contiguous(), n, dz, parts, N, ctx.eps,
            OUT=out, D=D, **launch.flags,
        )  # fmt: skip
        norms = norm_partials(x, 1, timed=False)
        left, right = dz.split(D, -1)
        dx = norm_gradient(
            x, w.gain, None, ctx.eps, left, right, w.first, None, norms[0], pair=True, divided=False
        )
        partials = weight_partials(n, 2)
        weight_gradients([Product(left, n), Product(right, n)], dtype, partials)
        first, first_bias = split_weights(reduce_partials(partials[None]), D)
        second = reduce_partials(parts[None])[0, :, :out].transpose(0, 1).reshape(out, 2 * D)
        gain, _ = added_norms(norms)
        grads = gain[0], first[0].reshape(2 * D, D), first_bias[0].flatten(), second
        return dx, dx, None, None, *grads, du.sum((0, 1))
