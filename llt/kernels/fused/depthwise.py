"""Depthwise convolution on channels-last grids of two or three dimensions, zero padding.

A grid is a view of the points (B, N, D), never a copy; a plane is a box with one layer. A tile is
a few neighbors on a line; a program walks from line to line, so that it finds the values around
a tile in the cache.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.fused.tiles import Launch, partial_sums

FORWARD = Launch(rows=8, warps=4, shared_by=8)
BACKWARD = Launch(rows=8, warps=4, shared_by=2)


@triton.jit
def _tile(index, X, Y, ROWS: tl.constexpr):
    """Line (x, y) and first point of a tile: strips of ROWS points, line after line."""
    strip, line = index // (X * Y), index % (X * Y)
    return line // Y, line % Y, strip * ROWS


@triton.jit
def _load(source, x, y, z, X, Y, Z, ROWS: tl.constexpr, D: tl.constexpr):
    """Values at ROWS points from (x, y, z) on, zeros beyond the grid."""
    points = z + tl.arange(0, ROWS)
    end = tl.where((x >= 0) & (x < X) & (y >= 0) & (y < Y), Z, 0)
    keep = (points >= 0) & (points < end)
    at = ((x * Y + y) * Z + points)[:, None] * D + tl.arange(0, D)[None, :]
    return tl.load(source + at, mask=keep[:, None], other=0.0).to(tl.float32)


@triton.jit
def _store(target, value, x, y, z, Y, Z, ROWS: tl.constexpr, D: tl.constexpr):
    points = z + tl.arange(0, ROWS)
    at = ((x * Y + y) * Z + points)[:, None] * D + tl.arange(0, D)[None, :]
    tl.store(target + at, value.to(target.dtype.element_ty), mask=(points < Z)[:, None])


@triton.jit
def _weights(taps, t, ROWS: tl.constexpr, D: tl.constexpr):
    """Row t as often as a tile has rows: of the tile's shape, so that weights lie in the registers
    where the values are, and nothing has to be rearranged."""
    same = tl.arange(0, ROWS)[:, None] * 0 + tl.arange(0, D)[None, :]
    return tl.load(taps + t * D + same).to(tl.float32)


@triton.jit
def depthwise_forward(
    source, taps, bias, out, X, Y, Z, per_program,
    D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(1).to(tl.int64) * X * Y * Z * D
    source += first
    out += first
    start = tl.program_id(0) * per_program
    end = tl.minimum(start + per_program, X * Y * tl.cdiv(Z, ROWS))
    b = tl.load(bias + tl.arange(0, D))
    for index in range(start, end):
        x, y, z = _tile(index, X, Y, ROWS)
        total = tl.zeros((ROWS, D), tl.float32) + b[None, :]
        for t in tl.static_range(KX * K * K):
            i, j, k = t // (K * K) - KX // 2, t // K % K - K // 2, t % K - K // 2
            value = _load(source, x + i, y + j, z + k, X, Y, Z, ROWS, D)
            total += value * _weights(taps, t, ROWS, D)
        _store(out, total, x, y, z, Y, Z, ROWS, D)


@triton.jit
def depthwise_backward(
    source, taps, dout, dn, part_out, X, Y, Z, per_program,
    D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """dn and, from the same values of dout, sums over the points for every tap and the bias.

    A tap that reads the source at p + t has the gradient sum over p of dout[p - t] source[p].
    """
    TAPS: tl.constexpr = KX * K * K
    first = tl.program_id(1).to(tl.int64) * X * Y * Z * D
    source += first
    dout += first
    dn += first
    start = tl.program_id(0) * per_program
    end = tl.minimum(start + per_program, X * Y * tl.cdiv(Z, ROWS))
    sums = (tl.zeros((ROWS, D), tl.float32),)  # of the bias, then of the taps
    for _ in tl.static_range(TAPS):
        sums = sums + (tl.zeros((ROWS, D), tl.float32),)  # type: ignore[assignment]  # noqa: RUF005
    for index in range(start, end):
        x, y, z = _tile(index, X, Y, ROWS)
        value = _load(source, x, y, z, X, Y, Z, ROWS, D)
        added = (sums[0] + _load(dout, x, y, z, X, Y, Z, ROWS, D),)
        total = tl.zeros((ROWS, D), tl.float32)
        for t in tl.static_range(TAPS):
            i, j, k = t // (K * K) - KX // 2, t // K % K - K // 2, t % K - K // 2
            up = _load(dout, x - i, y - j, z - k, X, Y, Z, ROWS, D)
            total += up * _weights(taps, t, ROWS, D)
            added = added + (sums[t + 1] + up * value,)  # type: ignore[assignment]  # noqa: RUF005
        sums = added
        _store(dn, total, x, y, z, Y, Z, ROWS, D)
    program = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    part = part_out + program.to(tl.int64) * (TAPS + 1) * D + tl.arange(0, D)
    for t in tl.static_range(TAPS + 1):
        tl.store(part + t * D, tl.sum(sums[t], axis=0))


def depthwise_conv(n: Tensor, taps: Tensor, bias: Tensor, grid: tuple[int, ...]) -> Tensor:
    """n (B, N, D), taps (k², D) or (k³, D) of its type: a row of weights for every neighbor."""
    out = torch.empty_like(n)
    box, count, per_program = _share(FORWARD, len(n), grid)
    depthwise_forward[(count, len(n))](
        n, taps, bias, out, *box, per_program, **_sizes(taps, grid), **FORWARD.flags(n.shape[2])
    )
    return out


def depthwise_gradient(
    n: Tensor, taps: Tensor, dout: Tensor, grid: tuple[int, ...], partials: Tensor
) -> Tensor:
    """Gradient of n, and partial sums of bias and taps, one above the other."""
    dn = torch.empty_like(n)
    launch = _backward(taps)
    box, count, per_program = _share(launch, len(n), grid)
    depthwise_backward[(count, len(n))](
        n, taps, dout, dn, partials, *box, per_program,
        **_sizes(taps, grid), **launch.flags(n.shape[2]),
    )  # fmt: skip
    return dn


def depthwise_partials(n: Tensor, taps: Tensor, grid: tuple[int, ...], blocks: int) -> Tensor:
    """Room for the partial sums of all blocks."""
    _, count, _ = _share(_backward(taps), len(n), grid)
    return partial_sums(n, blocks, len(n) * count, len(taps) + 1, n.shape[2])


def _backward(taps: Tensor) -> Launch:
    """The sums of all taps stay in registers."""
    return BACKWARD if len(taps) <= 9 else BACKWARD._replace(rows=2)


def _share(
    launch: Launch, samples: int, grid: tuple[int, ...]
) -> tuple[tuple[int, int, int], int, int]:
    """The grid as a box, programs per sample, and tiles of each."""
    X, Y, Z = (1, *grid)[-3:]
    tiles = X * Y * triton.cdiv(Z, launch.rows)
    count = launch.programs(tiles * launch.rows, samples)
    return (X, Y, Z), count, triton.cdiv(tiles, count)


def _sizes(taps: Tensor, grid: tuple[int, ...]) -> dict[str, int]:
    K = round(len(taps) ** (1 / len(grid)))
    return {"D": taps.shape[1], "KX": K if len(grid) == 3 else 1, "K": K}
