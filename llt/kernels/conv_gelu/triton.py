"""The first convolution of a few fields to D channels, with its GELU.

    g = gelu(W * fields + b), zeros around the grid

A point's neighborhood, K = C · taps numbers and a one for the bias, is a row of a matrix product;
it is gathered anew whenever it is needed, and so is W * fields: both cost less than to store them.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.derivatives import first_derivative_only
from llt.kernels.triton_tiles import (
    Launch,
    gelu,
    load_tile,
    partial_sums,
    reduce_partials,
    store_tile,
)

FORWARD = Launch(rows=64, warps=8, shared_by=2, kilobytes=24)
BACKWARD = Launch(rows=64, warps=4, shared_by=2, kilobytes=28)
WIDEST = 64  # row of the product


@triton.jit
def _neighborhoods(
    fields, index, N, Y, Z,
    C: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """(ROWS, WIDTH): of every point all channels at all taps, a one, and zeros."""
    TAPS: tl.constexpr = KX * K * K
    rows, cols = (index * ROWS + tl.arange(0, ROWS))[:, None], tl.arange(0, WIDTH)[None, :]
    channel, tap = cols // TAPS, cols % TAPS
    x = rows // (Y * Z) + tap // (K * K) - KX // 2
    y = rows // Z % Y + tap // K % K - K // 2
    z = rows % Z + tap % K - K // 2
    inside = (x >= 0) & (x < N // (Y * Z)) & (y >= 0) & (y < Y) & (z >= 0) & (z < Z)
    inside = inside & (rows < N) & (cols < C * TAPS)
    value = tl.load(fields + ((x * Y + y) * Z + z) * C + channel, mask=inside, other=0.0)
    return tl.where((cols == C * TAPS) & (rows < N), 1.0, value)


@triton.jit
def _weights(weight, bias, USED: tl.constexpr, WIDTH: tl.constexpr, D: tl.constexpr):
    """(WIDTH, D): the weights of every place, then the bias, then zeros."""
    row, col = tl.arange(0, WIDTH)[:, None], tl.arange(0, D)[None, :]
    weights = tl.load(weight + col * USED + row, mask=row < USED, other=0.0)
    return tl.where(row == USED, tl.load(bias + col), weights)


@triton.jit
def conv_gelu_forward(
    fields, weight, bias, out, N, Y, Z,
    C: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, WIDTH: tl.constexpr, D: tl.constexpr,
    ROWS: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    dtype = out.dtype.element_ty
    fields += sample * N * C
    out += sample * N * D
    w = _weights(weight, bias, C * KX * K * K, WIDTH, D).to(dtype)
    for index in range(first, tl.cdiv(N, ROWS), step):
        patches = _neighborhoods(fields, index, N, Y, Z, C, KX, K, WIDTH, ROWS).to(dtype)
        store_tile(out, gelu(tl.dot(patches, w))[0], index, N, ROWS, D, D)


@triton.jit
def conv_gelu_backward(
    fields, weight, bias, dout, part_out, N, Y, Z,
    C: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, WIDTH: tl.constexpr, D: tl.constexpr,
    ROWS: tl.constexpr,
):  # fmt: skip
    """Partial sums (D, WIDTH) of the gradients of weights and bias."""
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    dtype = dout.dtype.element_ty
    fields += sample * N * C
    dout += sample * N * D
    w = _weights(weight, bias, C * KX * K * K, WIDTH, D).to(dtype)
    total = tl.zeros((D, WIDTH), tl.float32)
    ahead = load_tile(dout, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        up = ahead.to(tl.float32)
        ahead = load_tile(dout, index + step, N, ROWS, D, D)
        patches = _neighborhoods(fields, index, N, Y, Z, C, KX, K, WIDTH, ROWS).to(dtype)
        _, slope = gelu(tl.dot(patches, w))
        dz = (up * slope).to(dtype)
        total = tl.dot(tl.trans(dz), patches, total)
    row, col = tl.arange(0, D)[:, None], tl.arange(0, WIDTH)[None, :]
    part = part_out + (sample * step + first) * D * WIDTH
    tl.store(part + row * WIDTH + col, total)


class ConvGelu(torch.autograd.Function):
    """g (B, N, D) in `dtype` of fields (B, N, C); the gradient reaches weight and bias alone."""

    @staticmethod
    def forward(
        ctx: Any,
        fields: Tensor,
        weight: Tensor,
        bias: Tensor,
        grid: tuple[int, ...],
        dtype: torch.dtype,
    ) -> Tensor:
        ctx.save_for_backward(fields, weight, bias)
        ctx.grid = grid
        B, N, _ = fields.shape
        D = len(weight)
        out, launch = fields.new_empty(B, N, D, dtype=dtype), _launch(FORWARD, weight)
        conv_gelu_forward[(launch.programs(N, B), B)](
            fields, weight, bias, out, N, D=D, **_sizes(grid, weight), **launch.flags
        )
        return out

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        fields, weight, bias = ctx.saved_tensors
        B, N, D = dout.shape
        launch = _launch(BACKWARD, weight)
        programs, used = launch.programs(N, B), weight[0].numel()
        partials = partial_sums(dout, B * programs, D, row_width(weight))
        conv_gelu_backward[(programs, B)](
            fields, weight, bias, dout.contiguous(), partials, N,
            D=D, **_sizes(ctx.grid, weight), **launch.flags,
        )  # fmt: skip
        sums = reduce_partials(partials[None])[0]
        return None, sums[:, :used].reshape(weight.shape), sums[:, used], None, None


def row_width(weight: Tensor) -> int:
    """Of the product: all places, the one, and what makes it a power of two."""
    return max(16, 1 << weight[0].numel().bit_length())


def _launch(launch: Launch, weight: Tensor) -> Launch:
    """A tile holds neighborhoods too, which have their width however few channels there are."""
    return launch.at(max(len(weight), row_width(weight)))


def _sizes(grid: tuple[int, ...], weight: Tensor) -> dict[str, int]:
    Y, Z = grid[-2:]
    C, K = weight.shape[1], weight.shape[-1]
    KX = K if len(grid) == 3 else 1  # a plane is a box with one layer
    return {"Y": Y, "Z": Z, "C": C, "KX": KX, "K": K, "WIDTH": row_width(weight)}
