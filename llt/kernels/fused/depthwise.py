"""Depthwise convolution on channels-last grids of two or three dimensions, zero padding.

A grid is a view of the points (B, N, D), never a copy; a plane is a box with one layer. A tile is
a few neighbors on a line, with all their channels. A program walks from line to line and keeps
the tiles of the lines around it, so that it reads every value once for each place along the line.
"""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.fused.tiles import PROCESSORS, Launch, partial_sums

FORWARD = Launch(rows=8, warps=4, shared_by=3)
BACKWARD = Launch(rows=1, warps=1, shared_by=8)


@triton.jit
def _tile(source, x, y, z, X, Y, Z, ROWS: tl.constexpr, D: tl.constexpr):
    """Values at ROWS points from (x, y, z) on, zeros beyond the grid."""
    points = z + tl.arange(0, ROWS)
    end = tl.where((x >= 0) & (x < X) & (y >= 0) & (y < Y), Z, 0)
    keep = (points >= 0) & (points < end)
    at = ((x * Y + y) * Z + points)[:, None] * D + tl.arange(0, D)[None, :]
    return tl.load(source + at, mask=keep[:, None], other=0.0)


@triton.jit
def _line(
    source, x, y, z, X, Y, Z,
    ROWS: tl.constexpr, D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    """The tiles that a kernel reads from lines y: KX planes, K places along the line."""
    tiles = ()
    for t in tl.static_range(KX * K):
        near = _tile(source, x + t // K - KX // 2, y, z + t % K - K // 2, X, Y, Z, ROWS, D)
        tiles = tiles + (near,)  # type: ignore[assignment]  # noqa: RUF005
    return tiles


@triton.jit
def _window(
    source, x, y, z, X, Y, Z,
    ROWS: tl.constexpr, D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    """The tiles around line y, but for the last line; tap (i, j, k) is in place (j, i, k)."""
    tiles = ()
    for j in tl.static_range(K - 1):
        tiles = tiles + _line(source, x, y + j - K // 2, z, X, Y, Z, ROWS, D, KX, K)
    return tiles


@triton.jit
def _weights(taps, TAPS: tl.constexpr, ROWS: tl.constexpr, D: tl.constexpr):
    """Each row as often as a tile has rows: of the tile's shape, so that weights lie in the
    registers where the values are, and nothing has to be rearranged."""
    same = tl.arange(0, ROWS)[:, None] * 0 + tl.arange(0, D)[None, :]
    weights = ()
    for t in tl.static_range(TAPS):
        row = tl.load(taps + t * D + same)
        weights = weights + (row,)  # type: ignore[assignment]  # noqa: RUF005
    return weights


@triton.jit
def _store(target, value, x, y, z, Y, Z, ROWS: tl.constexpr, D: tl.constexpr):
    points = z + tl.arange(0, ROWS)
    at = ((x * Y + y) * Z + points)[:, None] * D + tl.arange(0, D)[None, :]
    tl.store(target + at, value.to(target.dtype.element_ty), mask=(points < Z)[:, None])


@triton.jit
def depthwise_forward(
    source, taps, bias, out, X, Y, Z, lines,
    D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    strips = tl.cdiv(Z, ROWS)
    x, z = tl.program_id(0) // strips, tl.program_id(0) % strips * ROWS
    first = tl.program_id(2).to(tl.int64) * X * Y * Z * D
    source += first
    out += first
    start = tl.program_id(1) * lines
    b = tl.load(bias + tl.arange(0, D)).to(tl.float32)
    w = _weights(taps, KX * K * K, ROWS, D)
    before = _window(source, x, start, z, X, Y, Z, ROWS, D, KX, K)
    ahead = _line(source, x, start + K // 2, z, X, Y, Z, ROWS, D, KX, K)
    for y in range(start, tl.minimum(start + lines, Y)):
        tiles = before + ahead
        ahead = _line(source, x, y + 1 + K // 2, z, X, Y, Z, ROWS, D, KX, K)
        total = tl.zeros((ROWS, D), tl.float32) + b[None, :]
        for t in tl.static_range(KX * K * K):
            value = tiles[(t // K % K * KX + t // (K * K)) * K + t % K]
            total += value.to(tl.float32) * w[t].to(tl.float32)
        _store(out, total, x, y, z, Y, Z, ROWS, D)
        before = tiles[KX * K :]


@triton.jit
def depthwise_backward(
    source, taps, dout, dn, part_out, X, Y, Z, lines,
    D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """dn and, from the same values of dout, sums over the points for every tap and the bias.

    A tap that reads the source at p + t has the gradient sum over p of dout[p - t] source[p]:
    the window is read backwards.
    """
    TAPS: tl.constexpr = KX * K * K
    strips = tl.cdiv(Z, ROWS)
    x, z = tl.program_id(0) // strips, tl.program_id(0) % strips * ROWS
    first = tl.program_id(2).to(tl.int64) * X * Y * Z * D
    source += first
    dout += first
    dn += first
    start = tl.program_id(1) * lines
    w = _weights(taps, TAPS, ROWS, D)
    sums = (tl.zeros((ROWS, D), tl.float32),)  # of the bias, then of the taps
    for _ in tl.static_range(TAPS):
        sums = sums + (tl.zeros((ROWS, D), tl.float32),)  # type: ignore[assignment]  # noqa: RUF005
    before = _window(dout, x, start, z, X, Y, Z, ROWS, D, KX, K)
    ahead = _line(dout, x, start + K // 2, z, X, Y, Z, ROWS, D, KX, K)
    n_ahead = _tile(source, x, start, z, X, Y, Z, ROWS, D)
    for y in range(start, tl.minimum(start + lines, Y)):
        tiles = before + ahead
        n = n_ahead.to(tl.float32)
        ahead = _line(dout, x, y + 1 + K // 2, z, X, Y, Z, ROWS, D, KX, K)
        n_ahead = _tile(source, x, y + 1, z, X, Y, Z, ROWS, D)
        added = (sums[0] + tiles[TAPS // 2].to(tl.float32),)
        total = tl.zeros((ROWS, D), tl.float32)
        for t in tl.static_range(TAPS):
            up = tiles[TAPS - 1 - (t // K % K * KX + t // (K * K)) * K - t % K].to(tl.float32)
            total += up * w[t].to(tl.float32)
            added = added + (sums[t + 1] + up * n,)  # type: ignore[assignment]  # noqa: RUF005
        sums = added
        _store(dn, total, x, y, z, Y, Z, ROWS, D)
        before = tiles[KX * K :]
    program = tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)
    program = program * tl.num_programs(0) + tl.program_id(0)
    part = part_out + program.to(tl.int64) * (TAPS + 1) * D + tl.arange(0, D)
    for t in tl.static_range(TAPS + 1):
        tl.store(part + t * D, tl.sum(sums[t], axis=0))


def depthwise_conv(n: Tensor, taps: Tensor, bias: Tensor, grid: tuple[int, ...]) -> Tensor:
    """n (B, N, D), taps (k², D) or (k³, D) of its type: a row of weights for every neighbor."""
    out = torch.empty_like(n)
    launch = _launch(FORWARD, taps)
    programs, box, lines = _share(launch, len(n), grid)
    depthwise_forward[programs](
        n, taps, bias, out, *box, lines, **_sizes(taps, grid), **launch.flags
    )
    return out


def depthwise_gradient(
    n: Tensor, taps: Tensor, dout: Tensor, grid: tuple[int, ...]
) -> tuple[Tensor, Tensor]:
    """Gradient of n, and partial sums (programs, 1 + taps, D) of bias and taps."""
    dn = torch.empty_like(n)
    launch = _launch(BACKWARD, taps)
    programs, box, lines = _share(launch, len(n), grid)
    partials = partial_sums(n, math.prod(programs), len(taps) + 1, n.shape[2])
    depthwise_backward[programs](
        n, taps, dout, dn, partials, *box, lines,
        **_sizes(taps, grid), **launch.flags,
    )  # fmt: skip
    return dn, partials


def _launch(launch: Launch, taps: Tensor) -> Launch:
    """Many taps are many registers: fewer points at a time."""
    few = launch if len(taps) <= 9 else launch._replace(rows=min(launch.rows, 2))
    return few.at(taps.shape[1])


def _share(
    launch: Launch, samples: int, grid: tuple[int, ...]
) -> tuple[tuple[int, int, int], tuple[int, int, int], int]:
    """Programs (columns of tiles, pieces of a column, samples), the box, and lines of a piece."""
    X, Y, Z = (1, *grid)[-3:]
    columns = X * triton.cdiv(Z, launch.rows)
    pieces = triton.cdiv(PROCESSORS * launch.shared_by, columns * samples)
    lines = triton.cdiv(Y, min(pieces, Y))
    return (columns, triton.cdiv(Y, lines), samples), (X, Y, Z), lines


def _sizes(taps: Tensor, grid: tuple[int, ...]) -> dict[str, int]:
    K = round(len(taps) ** (1 / len(grid)))
    return {"D": taps.shape[1], "KX": K if len(grid) == 3 else 1, "K": K}
