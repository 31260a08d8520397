"""Depthwise convolution on channels-last grids of two or three dimensions, zero padding.

A grid is a view of the points (B, N, D), never a copy; a plane is a box with one layer.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.tiles import add_partials, num_tiles

ROWS, WARPS = 16, 4


@triton.jit
def _neighbor(rows, dx, dy, dz, X, Y, Z):
    """Row of the point (dx, dy, dz) steps away, and whether it lies on the grid."""
    x, y, z = rows // (Y * Z) + dx, rows // Z % Y + dy, rows % Z + dz
    inside = (x >= 0) & (x < X) & (y >= 0) & (y < Y) & (z >= 0) & (z < Z)
    return (x * Y + y) * Z + z, inside


@triton.jit
def _convolve(
    source, weight, bias, out, X, Y, Z,
    D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr, FLIP: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    first = tl.program_id(1).to(tl.int64) * X * Y * Z * D
    source += first
    ok = rows < X * Y * Z
    cols = tl.arange(0, D)
    total = tl.zeros((ROWS, D), tl.float32)
    if not FLIP:
        total += tl.load(bias + cols).to(tl.float32)[None, :]
    for i in tl.static_range(KX):
        for j in tl.static_range(K):
            for k in tl.static_range(K):
                dx, dy, dz = i - KX // 2, j - K // 2, k - K // 2
                if FLIP:
                    dx, dy, dz = -dx, -dy, -dz
                near, inside = _neighbor(rows, dx, dy, dz, X, Y, Z)
                at = near[:, None] * D + cols[None, :]
                value = tl.load(source + at, mask=(ok & inside)[:, None], other=0.0)
                w = tl.load(weight + cols * (KX * K * K) + (i * K + j) * K + k).to(tl.float32)
                total += value.to(tl.float32) * w[None, :]
    at = rows[:, None] * D + cols[None, :]
    tl.store(out + first + at, total.to(out.dtype.element_ty), mask=ok[:, None])


@triton.jit
def _weight_gradient(
    source, dout, part_out, X, Y, Z,
    D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    first = tl.program_id(1).to(tl.int64) * X * Y * Z * D
    source += first
    ok = rows < X * Y * Z
    cols = tl.arange(0, D)
    at = rows[:, None] * D + cols[None, :]
    up = tl.load(dout + first + at, mask=ok[:, None], other=0.0).to(tl.float32)
    program = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    part = part_out + program.to(tl.int64) * (KX * K * K + 1) * D + cols
    for i in tl.static_range(KX):
        for j in tl.static_range(K):
            for k in tl.static_range(K):
                near, inside = _neighbor(rows, i - KX // 2, j - K // 2, k - K // 2, X, Y, Z)
                at = near[:, None] * D + cols[None, :]
                value = tl.load(source + at, mask=(ok & inside)[:, None], other=0.0)
                tap = tl.sum(value.to(tl.float32) * up, axis=0)
                tl.store(part + ((i * K + j) * K + k) * D, tap)
    tl.store(part + KX * K * K * D, tl.sum(up, axis=0))


class DepthwiseConv(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, n: Tensor, weight: Tensor, bias: Tensor, grid: tuple[int, ...]) -> Tensor:
        """n (B, N, D), weight (D, 1, k, k) or (D, 1, k, k, k), as torch's convolutions have it."""
        box = (1, *grid)[-3:]
        out = torch.empty_like(n)
        flags = {
            "D": n.shape[2], "KX": weight.shape[2] if len(grid) == 3 else 1,
            "K": weight.shape[-1], "num_warps": WARPS,
        }  # fmt: skip
        launch = (num_tiles(n.shape[1], ROWS), n.shape[0])
        _convolve[launch](n, weight, bias, out, *box, ROWS=ROWS, FLIP=False, **flags)
        ctx.save_for_backward(n, weight)
        ctx.box, ctx.flags = box, flags
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        n, weight = ctx.saved_tensors
        box, flags = ctx.box, ctx.flags
        dout = dout.contiguous()
        B, N, D = n.shape
        dn = torch.empty_like(n)
        launch = (num_tiles(N, ROWS), B)
        _convolve[launch](dout, weight, None, dn, *box, ROWS=ROWS, FLIP=True, **flags)
        taps = weight[0].numel()
        rows = 2 * ROWS
        launch = (num_tiles(N, rows), B)
        partials = n.new_empty(launch[0] * B, taps + 1, D, dtype=torch.float32)
        _weight_gradient[launch](n, dout, partials, *box, ROWS=rows, **flags)
        sums = add_partials(partials)
        return dn, sums[:taps].T.reshape(weight.shape), sums[taps], None
