"""The embedding's pointwise network, and the decoder's skip connection beside it.

    z = W_1 s + b_1,  h = W_2 gelu(z) + b_2,  skip = W_skip s

The products of s are the library's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.derivatives import first_derivative_only
from llt.kernels.triton_tiles import Launch, gelu, load_tile, reduce_partials, store_tile
from llt.kernels.weight_gradients.triton import (
    Product,
    split_weights,
    weight_gradients,
    weight_partials,
)

FORWARD = Launch(rows=16, warps=4, shared_by=3, kilobytes=68)
BACKWARD = Launch(rows=16, warps=4, shared_by=3, kilobytes=36)


class Weights(NamedTuple):
    """Matrices (2 D, S), (D, 2 D) and (D, S), S the width of s; biases (2 D) and (D)."""

    first: Tensor
    first_bias: Tensor
    second: Tensor
    second_bias: Tensor
    skip: Tensor


@triton.jit
def load_half(weight, half, D: tl.constexpr):
    """D of the 2 D columns of a matrix with D rows."""
    row, col = tl.arange(0, D)[:, None], tl.arange(0, D)[None, :]
    return tl.load(weight + row * 2 * D + half * D + col)


@triton.jit
def embed_forward(
    z, weight, bias, out, N, D: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    dtype = weight.dtype.element_ty
    z += sample * N * 2 * D
    out += sample * N * D
    w_0, w_1 = load_half(weight, 0, D), load_half(weight, 1, D)
    b = tl.load(bias + tl.arange(0, D))
    next_0 = load_tile(z, first, N, ROWS, D, 2 * D)
    next_1 = load_tile(z + D, first, N, ROWS, D, 2 * D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        z_0, z_1 = next_0.to(tl.float32), next_1.to(tl.float32)
        next_0 = load_tile(z, index + step, N, ROWS, D, 2 * D)
        next_1 = load_tile(z + D, index + step, N, ROWS, D, 2 * D)
        h = tl.dot(gelu(z_0)[0].to(dtype), tl.trans(w_0))
        h = tl.dot(gelu(z_1)[0].to(dtype), tl.trans(w_1), h)
        store_tile(out, h + b[None, :], index, N, ROWS, D, D)


@triton.jit
def embed_backward(
    z, weight, dout, g_out, dz_out, N, D: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    """gelu(z) and the gradient of z, half of their columns for half of the programs."""
    sample, half = tl.program_id(1).to(tl.int64), tl.program_id(2)
    first, step = tl.program_id(0), tl.num_programs(0)
    dtype = weight.dtype.element_ty
    z += sample * N * 2 * D + half * D
    dout += sample * N * D
    g_out += sample * N * 2 * D + half * D
    dz_out += sample * N * 2 * D + half * D
    w = load_half(weight, half, D)
    next_z = load_tile(z, first, N, ROWS, D, 2 * D)
    next_up = load_tile(dout, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        x, up = next_z.to(tl.float32), next_up.to(dtype)
        next_z = load_tile(z, index + step, N, ROWS, D, 2 * D)
        next_up = load_tile(dout, index + step, N, ROWS, D, D)
        g, slope = gelu(x)
        store_tile(g_out, g, index, N, ROWS, D, 2 * D)
        store_tile(dz_out, tl.dot(up, w) * slope, index, N, ROWS, D, 2 * D)


class Embed(torch.autograd.Function):
    """h (B, N, D) in `stream` and skip (B, N, D) in the type of the products.

    s (B, N, P) has its S columns first, zeros behind them, and at their end `fields` + `bias`,
    which are here for their gradients. `weights` are `parameters` with matrices in the type of the
    products.
    """

    @staticmethod
    def forward(
        ctx: Any,
        s: Tensor,
        fields: Tensor,
        bias: Tensor | None,
        weights: Weights,
        stream: torch.dtype,
        *parameters: Tensor,
    ) -> tuple[Tensor, Tensor]:
        B, N, _ = s.shape
        D = len(weights.skip)
        first, skip = _even(weights.first), _even(weights.skip)
        raw = s.flatten(0, 1)[:, : first.shape[1]]
        z = torch.addmm(weights.first_bias.to(s.dtype), raw, first.T).view(B, N, 2 * D)
        h, launch = s.new_empty(B, N, D, dtype=stream), FORWARD.at(D)
        embed_forward[(launch.programs(N, B), B)](
            z, weights.second, weights.second_bias, h, N, D=D, **launch.flags
        )
        ctx.weights = weights
        ctx.save_for_backward(s, z)
        return h, (raw @ skip.T).view(B, N, D)

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, dh: Tensor, dskip: Tensor) -> tuple[Tensor | None, ...]:
        s, z = ctx.saved_tensors
        w: Weights = ctx.weights
        B, N, D = dh.shape
        dh, dskip = dh.contiguous(), dskip.to(s.dtype)
        g, dz = torch.empty_like(z), torch.empty_like(z)
        launch = BACKWARD.at(D)
        embed_backward[(launch.programs(N, 2 * B), B, 2)](
            z, w.second, dh, g, dz, N, D=D, **launch.flags
        )
        dfields = None
        if ctx.needs_input_grad[1]:
            dfields = dz.flatten(0, 1) @ w.first[:, -D:]
            dfields.addmm_(dskip.flatten(0, 1), w.skip[:, -D:])
            dfields = dfields.view(B, N, D)
        lefts, rights = [*dz.split(D, -1), dskip], s.split(D, -1)
        products = [Product(left, right) for left in lefts for right in rights]
        products += [Product(dh, right) for right in g.split(D, -1)]
        partials = weight_partials(dh, len(products))
        weight_gradients(products, s.dtype, partials)
        square, sums = split_weights(reduce_partials(partials[None]), D)
        outer = square[0, :-2].view(3, len(rights), D, D).transpose(1, 2).reshape(3 * D, -1)
        first, skip = outer[:, : w.skip.shape[1]].split((2 * D, D))
        second = square[0, -2:].transpose(0, 1).reshape(D, 2 * D)
        left_sums = sums[0, : -2 : len(rights)].flatten()
        dbias = None
        if ctx.needs_input_grad[2]:  # sum of dfields over the points, without another pass
            dbias = left_sums @ torch.cat((w.first, w.skip))[:, -D:].float()
        grads = first, left_sums[: 2 * D], second, sums[0, -1], skip
        return None, dfields, dbias, None, None, *grads


def _even(weight: Tensor) -> Tensor:
    """Products want rows of whole 16 bytes."""
    odd = weight.shape[1] % 8
    return torch.nn.functional.pad(weight, (0, 8 - odd)) if odd else weight
