"""Depthwise convolution on channels-last grids of two or three dimensions, zero padding.

A grid is a view of the points (B, N, D), never a copy; a plane is a box with one layer. A program
is one warp, which waits for no other. It works on a few neighbors on a line, walks from line to
line and keeps the values of the lines around it: all that it reads, it reads once.
"""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.limits import limits
from llt.kernels.triton_tiles import Launch, partial_sums

FORWARD = Launch(rows=4, warps=1, shared_by=12)
BACKWARD = Launch(rows=4, warps=1, shared_by=8)


@triton.jit
def _values(source, x, y, z, X, Y, Z, D: tl.constexpr):
    """All channels of point (x, y, z), zeros beyond the grid."""
    inside = (x >= 0) & (x < X) & (y >= 0) & (y < Y) & (z >= 0) & (z < Z)
    channels = tl.arange(0, D)
    at = ((x * Y + y) * Z + z) * D + channels
    return tl.load(source + at, mask=channels < tl.where(inside, D, 0), other=0.0)


@triton.jit
def _line(
    source, x, y, z, X, Y, Z,
    COLS: tl.constexpr, D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    """What a kernel reads from line y for COLS points: KX planes, COLS + K - 1 places each."""
    WIDTH: tl.constexpr = COLS + K - 1
    line = ()
    for t in tl.static_range(KX * WIDTH):
        value = _values(source, x + t // WIDTH - KX // 2, y, z + t % WIDTH - K // 2, X, Y, Z, D)
        # converted once, where registers allow, and used by up to nine taps
        value = value.to(tl.float32) if KX == 1 else value
        line = line + (value,)  # type: ignore[assignment]  # noqa: RUF005
    return line


@triton.jit
def _window(
    source, x, y, z, X, Y, Z,
    COLS: tl.constexpr, D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    """The lines around line y, but for the last."""
    lines = ()
    for j in tl.static_range(K - 1):
        lines = lines + _line(source, x, y + j - K // 2, z, X, Y, Z, COLS, D, KX, K)
    return lines


@triton.jit
def _weights(taps, TAPS: tl.constexpr, D: tl.constexpr):
    weights = ()
    for t in tl.static_range(TAPS):
        row = tl.load(taps + t * D + tl.arange(0, D))
        weights = weights + (row,)  # type: ignore[assignment]  # noqa: RUF005
    return weights


@triton.jit
def _store(target, value, x, y, z, Y, Z, D: tl.constexpr):
    channels = tl.arange(0, D)
    at = ((x * Y + y) * Z + z) * D + channels
    tl.store(target + at, value.to(target.dtype.element_ty), mask=channels < tl.where(z < Z, D, 0))


@triton.jit
def depthwise_forward(
    source, taps, bias, out, X, Y, Z, lines,
    D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    TAPS: tl.constexpr = KX * K * K
    WIDTH: tl.constexpr = ROWS + K - 1
    strips = tl.cdiv(Z, ROWS)
    x, z = tl.program_id(0) // strips, tl.program_id(0) % strips * ROWS
    first = tl.program_id(2).to(tl.int64) * X * Y * Z * D
    source += first
    out += first
    start = tl.program_id(1) * lines
    b = tl.load(bias + tl.arange(0, D)).to(tl.float32)
    w = _weights(taps, TAPS, D)
    before = _window(source, x, start, z, X, Y, Z, ROWS, D, KX, K)
    ahead = _line(source, x, start + K // 2, z, X, Y, Z, ROWS, D, KX, K)
    for y in range(start, tl.minimum(start + lines, Y)):
        window = before + ahead
        ahead = _line(source, x, y + 1 + K // 2, z, X, Y, Z, ROWS, D, KX, K)
        for col in tl.static_range(ROWS):
            total = b
            for t in tl.static_range(TAPS):
                value = window[(t // K % K * KX + t // (K * K)) * WIDTH + col + t % K]
                total += value.to(tl.float32) * w[t].to(tl.float32)
            _store(out, total, x, y, z + col, Y, Z, D)
        before = window[KX * WIDTH :]


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
    WIDTH: tl.constexpr = ROWS + K - 1
    CENTER: tl.constexpr = (K // 2 * KX + KX // 2) * WIDTH + K // 2
    LAST: tl.constexpr = (K * KX - 1) * WIDTH + K - 1
    strips = tl.cdiv(Z, ROWS)
    x, z = tl.program_id(0) // strips, tl.program_id(0) % strips * ROWS
    first = tl.program_id(2).to(tl.int64) * X * Y * Z * D
    source += first
    dout += first
    dn += first
    start = tl.program_id(1) * lines
    w = _weights(taps, TAPS, D)
    sums = (tl.zeros((D,), tl.float32),)  # of the bias, then of the taps
    for _ in tl.static_range(TAPS):
        sums = sums + (tl.zeros((D,), tl.float32),)  # type: ignore[assignment]  # noqa: RUF005
    before = _window(dout, x, start, z, X, Y, Z, ROWS, D, KX, K)
    ahead = _line(dout, x, start + K // 2, z, X, Y, Z, ROWS, D, KX, K)
    n_ahead = _line(source, x, start, z, X, Y, Z, ROWS, D, 1, 1)
    for y in range(start, tl.minimum(start + lines, Y)):
        window, n = before + ahead, n_ahead
        ahead = _line(dout, x, y + 1 + K // 2, z, X, Y, Z, ROWS, D, KX, K)
        n_ahead = _line(source, x, y + 1, z, X, Y, Z, ROWS, D, 1, 1)
        for col in tl.static_range(ROWS):
            added = (sums[0] + window[CENTER + col].to(tl.float32),)
            total = tl.zeros((D,), tl.float32)
            for t in tl.static_range(TAPS):
                up = window[LAST - (t // K % K * KX + t // (K * K)) * WIDTH + col - t % K]
                up = up.to(tl.float32)
                total += up * w[t].to(tl.float32)
                added = added + (sums[t + 1] + up * n[col],)  # type: ignore[assignment]  # noqa: RUF005
            sums = added
            _store(dn, total, x, y, z + col, Y, Z, D)
        before = window[KX * WIDTH :]
    program = tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)
    program = program * tl.num_programs(0) + tl.program_id(0)
    part = part_out + program.to(tl.int64) * (TAPS + 1) * D + tl.arange(0, D)
    for t in tl.static_range(TAPS + 1):
        tl.store(part + t * D, sums[t])


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
    """Many taps are many registers, and many points much code: fewer points at a time."""
    fitting = launch.at(taps.shape[1])
    return fitting._replace(rows=min(fitting.rows, 8) if len(taps) <= 9 else 1)


def _share(
    launch: Launch, samples: int, grid: tuple[int, ...]
) -> tuple[tuple[int, int, int], tuple[int, int, int], int]:
    """Programs (columns of tiles, pieces of a column, samples), the box, and lines of a piece."""
    X, Y, Z = (1, *grid)[-3:]
    columns = X * triton.cdiv(Z, launch.rows)
    pieces = triton.cdiv(limits().processors * launch.shared_by, columns * samples)
    lines = triton.cdiv(Y, min(pieces, Y))
    return (columns, triton.cdiv(Y, lines), samples), (X, Y, Z), lines


def _sizes(taps: Tensor, grid: tuple[int, ...]) -> dict[str, int]:
    K = round(len(taps) ** (1 / len(grid)))
    return {"D": taps.shape[1], "KX": K if len(grid) == 3 else 1, "K": K}
