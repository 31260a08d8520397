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

from llt.kernels.fused.tiles import Launch, tile

ROWS, WARPS = 16, 4
WEIGHT = Launch(rows=4, warps=4, shared_by=4)


@triton.jit
def _neighbor(rows, dx, dy, dz, X, Y, Z):
    """Row of the point (dx, dy, dz) steps away, and whether it lies on the grid."""
    x, y, z = rows // (Y * Z) + dx, rows // Z % Y + dy, rows % Z + dz
    inside = (x >= 0) & (x < X) & (y >= 0) & (y < Y) & (z >= 0) & (z < Z)
    return (x * Y + y) * Z + z, inside


@triton.jit
def depthwise(
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
def depthwise_weight_gradient(
    source, dout, part_out, X, Y, Z,
    D: tl.constexpr, KX: tl.constexpr, K: tl.constexpr, TAPS: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Sums over points of dout times the value at every tap; one more tap, always 1, for the bias.

    All taps go side by side, and are added up over the points of a program before the rows are.
    """
    COUNT: tl.constexpr = KX * K * K
    first = tl.program_id(1).to(tl.int64) * X * Y * Z * D
    source += first
    dout += first
    cols = tl.arange(0, D)[None, None, :]
    tap = tl.arange(0, TAPS)[:, None]
    dx, dy, dz = tap // (K * K) - KX // 2, tap // K % K - K // 2, tap % K - K // 2
    total = tl.zeros((TAPS, ROWS, D), tl.float32)
    for start in range(tl.program_id(0) * ROWS, X * Y * Z, tl.num_programs(0) * ROWS):
        rows = start + tl.arange(0, ROWS)[None, :]
        ok = rows < X * Y * Z
        near, inside = _neighbor(rows, dx, dy, dz, X, Y, Z)
        wanted = (ok & inside & (tap < COUNT))[:, :, None]
        value = tl.load(source + near[:, :, None] * D + cols, mask=wanted, other=0.0)
        value = tl.where((tap == COUNT)[:, :, None], 1.0, value.to(tl.float32))
        up = tl.load(dout + rows[:, :, None] * D + cols, mask=ok[:, :, None], other=0.0)
        total += value * up.to(tl.float32)
    program = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    part = part_out + program.to(tl.int64) * TAPS * D + tile(TAPS, D, D)
    tl.store(part, tl.sum(total, axis=1))


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
        launch = (triton.cdiv(n.shape[1], ROWS), n.shape[0])
        depthwise[launch](n, weight, bias, out, *box, ROWS=ROWS, FLIP=False, **flags)
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
        launch = (triton.cdiv(N, ROWS), B)
        depthwise[launch](dout, weight, None, dn, *box, ROWS=ROWS, FLIP=True, **flags)
        taps = weight[0].numel()
        slots = triton.next_power_of_2(taps + 1)
        count = WEIGHT.programs(N, B)
        partials = n.new_empty(count * B, slots, D, dtype=torch.float32)
        depthwise_weight_gradient[(count, B)](
            n, dout, partials, *box, TAPS=slots, **flags | WEIGHT.flags(D)
        )
        sums = partials.sum(0)
        return dn, sums[:taps].T.reshape(weight.shape), sums[taps], None
