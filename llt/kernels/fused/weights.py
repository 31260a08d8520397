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

from llt.kernels.fused.tiles import PROCESSORS, add_up, partial_sums

DEPTH, WARPS, STAGES, SHARED_BY = 64, 8, 3, 1


class Product(NamedTuple):
    """y = W x with dy = left and x = right, both (B, N, D) with rows evenly apart."""

    left: Tensor
    right: Tensor


@triton.jit
def weights_backward(
    lefts, rights, left_strides, right_strides, part_out, points, per_slice,
    COUNT: tl.constexpr, D: tl.constexpr, DEPTH: tl.constexpr, KIND: tl.constexpr,
):  # fmt: skip
    """Of product `program_id(0)` over slice `program_id(1)`: (D, D), below it the sum of left."""
    which, piece = tl.program_id(0), tl.program_id(1)
    left, right = lefts[0], rights[0]
    left_stride, right_stride = left_strides[0], right_strides[0]
    for t in tl.static_range(1, COUNT):
        if which == t:
            left, right = lefts[t], rights[t]
            left_stride, right_stride = left_strides[t], right_strides[t]
    left, right = tl.multiple_of(left, 16), tl.multiple_of(right, 16)
    left_stride, right_stride = tl.multiple_of(left_stride, 16), tl.multiple_of(right_stride, 16)
    rows, cols = tl.arange(0, DEPTH), tl.arange(0, D)
    end = tl.minimum(points, (piece + 1) * per_slice)
    total = tl.zeros((D, D), tl.float32)
    ones = tl.zeros((DEPTH, D), tl.float32)
    for start in range(piece * per_slice, end, DEPTH):
        row = (start + rows).to(tl.int64)[:, None]
        keep = row < end
        a = tl.load(left + row * left_stride + cols[None, :], mask=keep, other=0.0).to(KIND)
        b = tl.load(right + row * right_stride + cols[None, :], mask=keep, other=0.0).to(KIND)
        total = tl.dot(tl.trans(a), b, total)
        ones += a.to(tl.float32)
    part = part_out + (piece * COUNT + which).to(tl.int64) * (D + 1) * D
    tl.store(part + cols[:, None] * D + cols[None, :], total)
    tl.store(part + D * D + cols, tl.sum(ones, axis=0))


def weight_gradients(products: list[Product], kind: torch.dtype) -> Tensor:
    """(number of products, D + 1, D): the weight's gradient, and the bias's in the last row."""
    B, N, D = products[0].left.shape
    slices = min(triton.cdiv(B * N, DEPTH), max(1, SHARED_BY * PROCESSORS // len(products)))
    per_slice = triton.cdiv(triton.cdiv(B * N, slices), DEPTH) * DEPTH
    slices = triton.cdiv(B * N, per_slice)
    partials = partial_sums(products[0].left, 1, slices, len(products), D + 1, D)
    weights_backward[(len(products), slices)](
        tuple(p.left for p in products), tuple(p.right for p in products),
        tuple(p.left.stride(1) for p in products), tuple(p.right.stride(1) for p in products),
        partials, B * N, per_slice,
        COUNT=len(products), D=D, DEPTH=DEPTH, KIND=KINDS[kind],
        num_warps=WARPS if D >= 128 else 4, num_stages=STAGES,
    )  # fmt: skip
    return add_up(partials)[0]


KINDS = {torch.float16: tl.float16, torch.bfloat16: tl.bfloat16, torch.float32: tl.float32}
