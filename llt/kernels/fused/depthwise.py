"""Depthwise convolution on channels-last grids of two or three dimensions, zero padding.

A grid is a view of the points (B, N, D), never a copy; a plane is a box with one layer.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.fused.tiles import Launch, add_up, partial_sums

ROWS, WARPS = 16, 4
BACKWARD = Launch(rows=8, warps=4, shared_by=2)


@triton.jit
def _neighbor(rows, dx, dy, dz, X, Y, Z):
    """Row of the point (dx, dy, dz) steps away, and whether it lies on the grid."""
    x, y, z = rows // (Y * Z) + dx, rows // Z % Y + dy, rows % Z + dz
    inside = (x >= 0) & (x < X) & (y >= 0) & (y < Y) & (z >= 0) & (z < Z)
    return (x * Y + y) * Z + z, inside & (rows < X * Y * Z)


@triton.jit
def _repeated(ROWS: tl.constexpr, D: tl.constexpr):
    """Offsets of one row, as often as a tile has rows: of the tile's shape, so that weights lie
    in the registers where the values are, and nothing has to be rearranged."""
    return tl.arange(0, ROWS)[:, None] * 0 + tl.arange(0, D)[None, :]


@triton.jit
def depthwise_forward(
    source, weight, bias, out, X, Y, Z,
    D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, D)
    same = _repeated(ROWS, D)
    first = tl.program_id(1).to(tl.int64) * X * Y * Z * D
    total = tl.zeros((ROWS, D), tl.float32) + tl.load(bias + cols[None, :])
    for i in tl.static_range(KX):
        for j in tl.static_range(K):
            for k in tl.static_range(K):
                near, inside = _neighbor(rows, i - KX // 2, j - K // 2, k - K // 2, X, Y, Z)
                at = first + near[:, None] * D + cols[None, :]
                value = tl.load(source + at, mask=inside[:, None], other=0.0)
                w = tl.load(weight + ((i * K + j) * K + k) * D + same)
                total += value.to(tl.float32) * w.to(tl.float32)
    at = first + rows[:, None] * D + cols[None, :]
    tl.store(out + at, total.to(out.dtype.element_ty), mask=(rows < X * Y * Z)[:, None])


@triton.jit
def depthwise_backward(
    source, weight, dout, dn, part_out, X, Y, Z,
    D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """dn and, from the same values of dout, sums over the points for every tap and the bias.

    A tap that reads the source at p + t has the gradient sum over p of dout[p - t] source[p].
    """
    TAPS: tl.constexpr = KX * K * K
    cols, same = tl.arange(0, D), _repeated(ROWS, D)
    first = tl.program_id(1).to(tl.int64) * X * Y * Z * D
    sums = (tl.zeros((ROWS, D), tl.float32),)  # of the bias, then of the taps
    for _ in tl.static_range(TAPS):
        sums = sums + (tl.zeros((ROWS, D), tl.float32),)  # noqa: RUF005
    for start in range(tl.program_id(0) * ROWS, X * Y * Z, tl.num_programs(0) * ROWS):
        rows = start + tl.arange(0, ROWS)
        ok = (rows < X * Y * Z)[:, None]
        here = first + rows[:, None] * D + cols[None, :]
        value = tl.load(source + here, mask=ok, other=0.0).to(tl.float32)
        added = (sums[0] + tl.load(dout + here, mask=ok, other=0.0).to(tl.float32),)
        total = tl.zeros((ROWS, D), tl.float32)
        for t in tl.static_range(TAPS):
            i, j, k = t // (K * K), t // K % K, t % K
            near, inside = _neighbor(rows, KX // 2 - i, K // 2 - j, K // 2 - k, X, Y, Z)
            at = first + near[:, None] * D + cols[None, :]
            up = tl.load(dout + at, mask=inside[:, None], other=0.0).to(tl.float32)
            total += up * tl.load(weight + t * D + same).to(tl.float32)
            added = added + (sums[t + 1] + up * value,)  # noqa: RUF005
        sums = added
        tl.store(dn + here, total.to(dn.dtype.element_ty), mask=ok)
    program = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    part = part_out + program.to(tl.int64) * (TAPS + 1) * D + cols
    for t in tl.static_range(TAPS + 1):
        tl.store(part + t * D, tl.sum(sums[t], axis=0))


def depthwise_conv(n: Tensor, taps: Tensor, bias: Tensor, grid: tuple[int, ...]) -> Tensor:
    """n (B, N, D), taps (k², D) or (k³, D) of its type: a row of weights for every neighbor."""
    out = torch.empty_like(n)
    depthwise_forward[(triton.cdiv(n.shape[1], ROWS), n.shape[0])](
        n, taps, bias, out, *_box(grid), ROWS=ROWS, num_warps=WARPS, **_sizes(taps, grid)
    )
    return out


def depthwise_gradient(
    n: Tensor, taps: Tensor, dout: Tensor, grid: tuple[int, ...]
) -> tuple[Tensor, Tensor]:
    """Gradients of n and, one above the other, of bias and taps."""
    B, N, D = n.shape
    # the sums of all taps stay in registers
    launch = BACKWARD if len(taps) <= 9 else BACKWARD._replace(rows=2)
    count = launch.programs(N, B)
    dn = torch.empty_like(n)
    partials = partial_sums(n, 1, B * count, len(taps) + 1, D)
    depthwise_backward[(count, B)](
        n, taps, dout, dn, partials, *_box(grid), **_sizes(taps, grid), **launch.flags(D)
    )
    return dn, add_up(partials)[0]


def _box(grid: tuple[int, ...]) -> tuple[int, ...]:
    return (1, *grid)[-3:]


def _sizes(taps: Tensor, grid: tuple[int, ...]) -> dict[str, int]:
    K = round(len(taps) ** (1 / len(grid)))
    return {"D": taps.shape[1], "KX": K if len(grid) == 3 else 1, "K": K}
