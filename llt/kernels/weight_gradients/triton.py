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

from llt.kernels.limits import limits
from llt.kernels.triton_tiles import Launch, partial_sums

LAUNCH, STAGES = Launch(rows=64, warps=4, shared_by=2, kilobytes=40), 3


class Product(NamedTuple):
    """y = W x with dy = left and x = right, both (B, N, D) with rows evenly apart."""

    left: Tensor
    right: Tensor


@triton.jit
def weights_backward(
    lefts, rights, left_strides, right_strides, gain, part_out, points, per_slice,
    COUNT: tl.constexpr, SCALED: tl.constexpr, D: tl.constexpr, M: tl.constexpr,
    ROWS: tl.constexpr,
):  # fmt: skip
    """M rows of a product over slice `program_id(1)`: (D, D), and the sum of left behind all.

    The last SCALED products have their columns scaled by `gain`.
    """
    PARTS: tl.constexpr = D // M
    which, part, piece = tl.program_id(0) // PARTS, tl.program_id(0) % PARTS, tl.program_id(1)
    left, right = lefts[0], rights[0]
    left_stride, right_stride = left_strides[0], right_strides[0]
    for t in tl.static_range(1, COUNT):
        if which == t:
            left, right = lefts[t], rights[t]
            left_stride, right_stride = left_strides[t], right_strides[t]
    left, right = tl.multiple_of(left, 16), tl.multiple_of(right, 16)
    left_stride, right_stride = tl.multiple_of(left_stride, 16), tl.multiple_of(right_stride, 16)
    rows, cols = tl.arange(0, ROWS), tl.arange(0, D)
    mine = part * M + tl.arange(0, M)
    end = tl.minimum(points, (piece + 1) * per_slice)
    total = tl.zeros((M, D), tl.float32)
    ones = tl.full((ROWS, 16), 1.0, left.dtype.element_ty)
    row_sums = tl.zeros((M, 16), tl.float32)
    for start in range(piece * per_slice, end, ROWS):
        row = (start + rows).to(tl.int64)[:, None]
        keep = row < end
        a = tl.load(left + row * left_stride + mine[None, :], mask=keep, other=0.0)
        b = tl.load(right + row * right_stride + cols[None, :], mask=keep, other=0.0)
        total = tl.dot(tl.trans(a), b, total)
        # a product too: with any other use of `a` the compiler keeps too few copies of it
        row_sums = tl.dot(tl.trans(a), ones, row_sums)
    if SCALED:  # noqa: SIM102  # known to the compiler, unlike `which`
        if which >= COUNT - SCALED:
            total *= tl.load(gain + cols)[None, :]
    sums = part_out + piece.to(tl.int64) * COUNT * (D + 1) * D
    tl.store(sums + which * D * D + mine[:, None] * D + cols[None, :], total)
    tl.store(sums + COUNT * D * D + which * D + mine, tl.sum(row_sums, axis=1) / 16)


def weight_partials(h: Tensor, number: int) -> Tensor:
    """Room for the partial sums of `number` products."""
    B, N, D = h.shape
    return partial_sums(h, _slices(B * N, D // _rows(D) * number), number * (D + 1) * D)


def weight_gradients(
    products: list[Product],
    dtype: torch.dtype,
    partials: Tensor,
    *,
    gain: Tensor | None = None,
    scaled: int = 0,
) -> None:
    """Partial sums, operands in `dtype`.

    The right sides of the last `scaled` products have still to be multiplied by `gain`.
    """
    B, N, D = products[0].left.shape
    products = [Product(left.to(dtype), right.to(dtype)) for left, right in products]
    number, slices = len(products), len(partials)
    per_slice = triton.cdiv(triton.cdiv(B * N, slices), LAUNCH.rows) * LAUNCH.rows
    weights_backward[(D // _rows(D) * number, slices)](
        tuple(p.left for p in products), tuple(p.right for p in products),
        tuple(p.left.stride(1) for p in products), tuple(p.right.stride(1) for p in products),
        gain, partials, B * N, per_slice,
        COUNT=number, SCALED=scaled, D=D, M=_rows(D), **LAUNCH.flags | {"num_stages": STAGES},
    )  # fmt: skip


def split_weights(sums: Tensor, D: int) -> tuple[Tensor, Tensor]:
    """Of blocks' sums the gradients of weights (blocks, number, D, D), of biases (..., D)."""
    number = sums.shape[1] // ((D + 1) * D)
    square, rest = sums.split((number * D * D, number * D), dim=1)
    return square.view(-1, number, D, D), rest.view(-1, number, D)


def _rows(D: int) -> int:
    """Of a product that a program computes: sixteen or more for each warp."""
    return min(D, 16 * LAUNCH.warps)


def _slices(points: int, programs: int) -> int:
    """As many as fill the GPU, none without a tile; those past the last point stay zero."""
    wanted = max(1, LAUNCH.shared_by * limits().processors // programs)
    return min(triton.cdiv(points, LAUNCH.rows), wanted)
