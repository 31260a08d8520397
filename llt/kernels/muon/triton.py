"""Muon's update of all matrices in one launch: one program takes a matrix all the way.

Batched products would pass every iterate through memory and wait for one another, three times
five for every shape, although a matrix of a block fits into one multiprocessor.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.muon.layout import Layout
from llt.kernels.muon.plain import COEFFICIENTS, EPS, MOMENTUM, SIZE, STEPS, product_dtype

WARPS = 8
NARROWEST = 16  # side of a product on tensor cores


@triton.jit
def muon(
    flat, momentum, gradient, table, row, factor, finite,
    MOMENTUM: tl.constexpr, SIZE: tl.constexpr, EPS: tl.constexpr,
    A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, STEPS: tl.constexpr,
    DTYPE: tl.constexpr, GUARD: tl.constexpr, SHORT: tl.constexpr, LONG: tl.constexpr,
):  # fmt: skip
    matrix = table + tl.program_id(0) * 3
    start, rows, columns = tl.load(matrix), tl.load(matrix + 1), tl.load(matrix + 2)
    tall = rows > columns  # then it is read transposed: the Gram matrix is of the shorter side
    short, long = tl.minimum(rows, columns), tl.maximum(rows, columns)
    i, j = tl.arange(0, SHORT)[:, None], tl.arange(0, LONG)[None, :]
    at = start + i * tl.where(tall, 1, columns) + j * tl.where(tall, columns, 1)
    if GUARD:
        short *= tl.load(finite).to(tl.int32)
    ok = (i < short) & (j < long)

    g = tl.load(gradient + at, mask=ok, other=0.0) * tl.load(factor)
    m = tl.load(momentum + at, mask=ok, other=0.0)
    m += (g - m) * (1 - MOMENTUM)
    tl.store(momentum + at, m, mask=ok)
    ahead = g + (m - g) * MOMENTUM
    norm = tl.sqrt(tl.sum(tl.sum(ahead * ahead, axis=1), axis=0))
    # the zeros around a matrix stay zeros
    x = (ahead / tl.maximum(norm, EPS)).to(DTYPE)
    for _ in range(STEPS):
        gram = tl.dot(x, tl.trans(x)).to(DTYPE)
        square = tl.dot(gram, gram)
        polynomial = (B * gram.to(tl.float32) + C * square).to(DTYPE)
        product = tl.dot(polynomial, x)
        x = (A * x.to(tl.float32) + product).to(DTYPE)
    w = tl.load(flat + at, mask=ok, other=0.0) * tl.load(row + 1)
    rate = tl.load(row) * SIZE * tl.sqrt(long.to(tl.float32))
    tl.store(flat + at, w - rate * x.to(tl.float32), mask=ok)


def muon_update(
    flat: Tensor,
    momentum: Tensor,
    gradient: Tensor,
    layout: Layout,
    row: Tensor,
    factor: Tensor,
    finite: Tensor | None,
) -> None:
    a, b, c = COEFFICIENTS
    shorter = max(min(rows, columns) for _, rows, columns in layout.stacks)
    short, long = (
        max(triton.next_power_of_2(side), NARROWEST) for side in (shorter, layout.longest_side)
    )
    dtype = {2: tl.bfloat16, 4: tl.float32}[product_dtype(flat.device).itemsize]
    muon[(len(layout.table),)](
        flat, momentum, gradient, layout.table, row, factor, finite,
        MOMENTUM=MOMENTUM, SIZE=SIZE, EPS=EPS, A=a, B=b, C=c, STEPS=STEPS,
        DTYPE=dtype, GUARD=finite is not None, SHORT=short, LONG=long, num_warps=WARPS,
    )  # fmt: skip
