"""The embedding's pointwise network, and the decoder's skip connection beside it.

    (z, skip) = (W_1; W_skip) s + (b_1; 0),  s = (rows, fields)        (B, N, 3 D)
    h = W_2 gelu(z) + b_2                                              (B, N, D)

`rows` are positions, which nothing is learned of, and `fields` what the convolutions made, or None.
The products of s are the library's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.tiles import Launch, add_up, load_tile, normal, store_tile
from llt.kernels.fused.weight_gradients import (
    Product,
    split_weights,
    weight_gradients,
    weight_partials,
)

FORWARD = Launch(rows=32, warps=4, shared_by=2)
BACKWARD = Launch(rows=32, warps=4, shared_by=2)


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
    z, weight, bias, out, N, z_stride, D: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    kind = weight.dtype.element_ty
    z += sample * N * z_stride
    out += sample * N * D
    w_0, w_1 = load_half(weight, 0, D), load_half(weight, 1, D)
    b = tl.load(bias + tl.arange(0, D))
    next_0 = load_tile(z, first, N, ROWS, D, z_stride)
    next_1 = load_tile(z + D, first, N, ROWS, D, z_stride)
    for index in range(first, tl.cdiv(N, ROWS), step):
        z_0, z_1 = next_0.to(tl.float32), next_1.to(tl.float32)
        next_0 = load_tile(z, index + step, N, ROWS, D, z_stride)
        next_1 = load_tile(z + D, index + step, N, ROWS, D, z_stride)
        below, _ = normal(z_0)
        h = tl.dot((z_0 * below).to(kind), tl.trans(w_0))
        below, _ = normal(z_1)
        h = tl.dot((z_1 * below).to(kind), tl.trans(w_1), h)
        store_tile(out, h + b[None, :], index, N, ROWS, D, D)


@triton.jit
def embed_backward(
    z, weight, dout, g_out, dz_out, N, z_stride, D: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    """gelu(z) and the gradient of z, half of their columns for half of the programs."""
    sample, half = tl.program_id(1).to(tl.int64), tl.program_id(2)
    first, step = tl.program_id(0), tl.num_programs(0)
    kind = weight.dtype.element_ty
    z += sample * N * z_stride + half * D
    dout += sample * N * D
    g_out += sample * N * 2 * D + half * D
    dz_out += sample * N * 2 * D + half * D
    w = load_half(weight, half, D)
    next_z = load_tile(z, first, N, ROWS, D, z_stride)
    next_up = load_tile(dout, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        x, up = next_z.to(tl.float32), next_up.to(kind)
        next_z = load_tile(z, index + step, N, ROWS, D, z_stride)
        next_up = load_tile(dout, index + step, N, ROWS, D, D)
        below, density = normal(x)
        store_tile(g_out, x * below, index, N, ROWS, D, 2 * D)
        dz = tl.dot(up, w) * (below + x * density)
        store_tile(dz_out, dz, index, N, ROWS, D, 2 * D)


class Embed(torch.autograd.Function):
    """h (B, N, D) in `stream` and skip (B, N, D) in the type of the products.

    `weights` are `parameters` in the type of the products, but for the biases; `used` columns of
    the rows count. The gradient reaches the fields and the parameters.
    """

    @staticmethod
    def forward(
        ctx: Any,
        rows: Tensor,  # (B, N, P)
        used: int,
        fields: Tensor | None,  # (B, N, D)
        weights: Weights,
        stream: torch.dtype,
        *parameters: Tensor,
    ) -> tuple[Tensor, Tensor]:
        B, N, _ = rows.shape
        D = len(weights.skip)
        both = torch.cat((weights.first, weights.skip))  # (3 D, S)
        bias = torch.nn.functional.pad(weights.first_bias.to(rows.dtype), (0, D))
        zs = torch.addmm(bias, rows.flatten(0, 1), _padded(both[:, :used], rows.shape[-1]).T)
        if fields is not None:
            zs.addmm_(fields.flatten(0, 1), both[:, used:].T)
        zs = zs.view(B, N, 3 * D)
        h, launch = rows.new_empty(B, N, D, dtype=stream), FORWARD.at(D)
        embed_forward[(launch.programs(N, B), B)](
            zs, weights.second, weights.second_bias, h, N, 3 * D, D=D, **launch.flags
        )
        ctx.used, ctx.weights = used, weights
        ctx.save_for_backward(rows, fields, zs)
        return h, zs[..., 2 * D :]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dh: Tensor, dskip: Tensor) -> tuple[Tensor | None, ...]:
        rows, fields, zs = ctx.saved_tensors
        weights: Weights = ctx.weights
        B, N, D = dh.shape
        dh = dh.contiguous()
        g, dz = (rows.new_empty(B, N, 2 * D) for _ in range(2))
        launch = BACKWARD.at(D)
        embed_backward[(launch.programs(N, 2 * B), B, 2)](
            zs, weights.second, dh, g, dz, N, 3 * D, D=D, **launch.flags
        )
        dfields = None
        if fields is not None:
            dfields = dz.flatten(0, 1) @ weights.first[:, ctx.used :]
            dfields.addmm_(dskip.to(dz.dtype).flatten(0, 1), weights.skip[:, ctx.used :])
            dfields = dfields.view(B, N, D)
        rights = [*rows.split(D, -1), *([] if fields is None else [fields])]
        lefts = [*dz.split(D, -1), dskip]
        products = [Product(left, right) for left in lefts for right in rights]
        products += [Product(dh, right) for right in g.split(D, -1)]
        partials = weight_partials(dh, len(products))
        weight_gradients(products, weights.second_bias, 0, rows.dtype, partials)
        square, sums = split_weights(add_up(partials[None]), D)
        both = square[0, :-2].view(3, len(rights), D, D).transpose(1, 2).reshape(3 * D, -1)
        if fields is None:
            both = both[:, : ctx.used]
        else:
            both = torch.cat((both[:, : ctx.used], both[:, -D:]), dim=1)
        first_bias = torch.cat((sums[0, 0], sums[0, len(rights)]))
        second = square[0, -2:].transpose(0, 1).reshape(D, 2 * D)
        grads = both[: 2 * D], first_bias, second, sums[0, -1], both[2 * D :]
        return None, None, dfields, None, None, *grads


def _padded(weight: Tensor, width: int) -> Tensor:
    """With columns of zeros, for a product with whole tiles."""
    return torch.nn.functional.pad(weight, (0, width - weight.shape[1]))
