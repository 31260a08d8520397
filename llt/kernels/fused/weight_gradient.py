"""Gradients of weights: A^T B over all points, for several pairs in one launch.

The points are cut into chunks, each adding up its own part in float32; a second step adds the
parts in a fixed order. So the result does not depend on which program finishes first.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.fused.tiles import PROCESSORS, add_partials, dot_precision, num_tiles, warps

ROWS, STAGES, MAX_PAIRS = 64, 2, 4

Pair = tuple[Tensor, int, Tensor]  # A (B, N, wide) with its first column, B (B, N, D)


@triton.jit
def _product(
    a, a_width, b, out, points, first, last,
    D: tl.constexpr, ROWS: tl.constexpr, DOT: tl.constexpr, KIND: tl.constexpr,
):  # fmt: skip
    cols = tl.arange(0, D)
    total = tl.zeros((D, D), tl.float32)
    column = tl.zeros((D,), tl.float32)
    for start in range(first, last, ROWS):
        rows = (start + tl.arange(0, ROWS)).to(tl.int64)
        ok = (rows < points)[:, None]
        left = tl.load(a + rows[:, None] * a_width + cols[None, :], mask=ok, other=0.0)
        right = tl.load(b + rows[:, None] * D + cols[None, :], mask=ok, other=0.0)
        column += tl.sum(left.to(tl.float32), axis=0)
        total = tl.dot(tl.trans(left.to(KIND)), right.to(KIND), total, input_precision=DOT)
    tl.store(out + cols[:, None] * D + cols[None, :], total)
    tl.store(out + D * D + cols, column)


@triton.jit
def weight_products(
    a0, w0, b0, a1, w1, b1, a2, w2, b2, a3, w3, b3, out, points, chunk, pairs,
    D: tl.constexpr, ROWS: tl.constexpr, DOT: tl.constexpr, KIND: tl.constexpr,
):  # fmt: skip
    pair, part = tl.program_id(0), tl.program_id(1)
    out += (part * pairs + pair).to(tl.int64) * (D + 1) * D
    first, last = part * chunk, tl.minimum((part + 1) * chunk, points)
    if pair == 0:
        _product(a0, w0, b0, out, points, first, last, D, ROWS, DOT, KIND)
    elif pair == 1:
        _product(a1, w1, b1, out, points, first, last, D, ROWS, DOT, KIND)
    elif pair == 2:
        _product(a2, w2, b2, out, points, first, last, D, ROWS, DOT, KIND)
    else:
        _product(a3, w3, b3, out, points, first, last, D, ROWS, DOT, KIND)


def weight_gradients(pairs: list[Pair], D: int) -> tuple[tuple[Tensor, ...], Tensor]:
    """A^T B (D, D) of every pair, and the column sums of A, (pairs, D): a bias's gradient.

    A's columns from `first` on, D of them, are taken. Types may differ between A and B: the
    narrower one is what the products are computed in.
    """
    points = pairs[0][2].shape[0] * pairs[0][2].shape[1]
    kind = min((t.dtype for a, _, b in pairs for t in (a, b)), key=lambda k: k.itemsize)
    chunk = ROWS * num_tiles(num_tiles(points, max(1, 2 * PROCESSORS // len(pairs))), ROWS)
    parts = num_tiles(points, chunk)
    out = pairs[0][2].new_empty(parts, len(pairs), D + 1, D, dtype=torch.float32)
    words: list[object] = []
    for index in range(MAX_PAIRS):
        a, first, b = pairs[min(index, len(pairs) - 1)]
        words += [a.view(points, -1)[:, first:], a.shape[-1], b]
    weight_products[(len(pairs), parts)](
        *words, out, points, chunk, len(pairs),
        D=D, ROWS=ROWS, DOT=dot_precision(kind), KIND=_KINDS[kind],
        num_warps=warps(D), num_stages=STAGES,
    )  # fmt: skip
    sums = add_partials(out)
    return tuple(sums[:, :D].unbind(0)), sums[:, D]


_KINDS = {torch.float32: tl.float32, torch.bfloat16: tl.bfloat16, torch.float16: tl.float16}
