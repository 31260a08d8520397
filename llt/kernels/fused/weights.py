"""Gradients of weights and biases: sums over all points of products, all of a block in one launch.

A product's gradient is sum left rightᵀ over the points. The points are cut into slices, one
program each, so that a few products of (D, D) fill the GPU; the slices are added up afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.fused.tiles import PROCESSORS, Launch, add_up, partial_sums

# small programs, since they share the processors with the kernels they run beside
LAUNCH, STAGES = Launch(rows=64, warps=4, shared_by=1), 3


class Product(NamedTuple):
    """y = W x with dy = left and x = right, both (B, N, D) with rows evenly apart."""

    left: Tensor
    right: Tensor


@triton.jit
def weights_backward(
    lefts, rights, left_strides, right_strides, gain, part_out, points, per_slice,
    COUNT: tl.constexpr, SCALED: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Half of a product over slice `program_id(1)`: (D, D), and the sum of left behind all.

    The last SCALED products have their columns scaled by `gain`.
    """
    M: tl.constexpr = D // 2
    which, half, piece = tl.program_id(0) // 2, tl.program_id(0) % 2, tl.program_id(1)
    left, right = lefts[0], rights[0]
    left_stride, right_stride = left_strides[0], right_strides[0]
    for t in tl.static_range(1, COUNT):
        if which == t:
            left, right = lefts[t], rights[t]
            left_stride, right_stride = left_strides[t], right_strides[t]
    left, right = tl.multiple_of(left, 16), tl.multiple_of(right, 16)
    left_stride, right_stride = tl.multiple_of(left_stride, 16), tl.multiple_of(right_stride, 16)
    rows, cols = tl.arange(0, ROWS), tl.arange(0, D)
    mine = half * M + tl.arange(0, M)
    end = tl.minimum(points, (piece + 1) * per_slice)
    total = tl.zeros((M, D), tl.float32)
    ones = tl.zeros((ROWS, M), tl.float32)
    for start in range(piece * per_slice, end, ROWS):
        row = (start + rows).to(tl.int64)[:, None]
        keep = row < end
        a = tl.load(left + row * left_stride + mine[None, :], mask=keep, other=0.0)
        b = tl.load(right + row * right_stride + cols[None, :], mask=keep, other=0.0)
        total = tl.dot(tl.trans(a), b, total)
        ones += a.to(tl.float32)
    if which >= COUNT - SCALED:
        total *= tl.load(gain + cols)[None, :]
    part = part_out + piece.to(tl.int64) * COUNT * (D + 1) * D
    tl.store(part + which * D * D + mine[:, None] * D + cols[None, :], total)
    tl.store(part + COUNT * D * D + which * D + mine, tl.sum(ones, axis=0))


def weight_gradients(
    products: list[Product], gain: Tensor, scaled: int, kind: torch.dtype
) -> tuple[Tensor, Tensor]:
    """Gradients of all weights (number, D, D) and of biases (number, D), operands in `kind`.

    The right sides of the last `scaled` products are yet to be multiplied by `gain`.
    """
    B, N, D = products[0].left.shape
    products = [Product(left.to(kind), right.to(kind)) for left, right in products]
    number = len(products)
    rows = LAUNCH.rows
    slices = min(triton.cdiv(B * N, rows), max(1, LAUNCH.shared_by * PROCESSORS // (2 * number)))
    per_slice = triton.cdiv(triton.cdiv(B * N, slices), rows) * rows
    slices = triton.cdiv(B * N, per_slice)
    partials = partial_sums(products[0].left, 1, slices, number * (D + 1) * D)
    weights_backward[(2 * number, slices)](
        tuple(p.left for p in products), tuple(p.right for p in products),
        tuple(p.left.stride(1) for p in products), tuple(p.right.stride(1) for p in products),
        gain, partials, B * N, per_slice,
        COUNT=number, SCALED=scaled, D=D,
        **LAUNCH.flags(D) | {"num_stages": STAGES},
    )  # fmt: skip
    sums = add_up(partials)[0]
    square, rest = sums.split((number * D * D, number * D))
    return square.view(number, D, D), rest.view(number, D)
