"""What LLT knows of a point before anything is learned, as 16-bit numbers in one pass.

A row is sin(2^b x), cos(2^b x), the distances to the reference points, and on point sets the
coordinates and fields themselves; zeros fill it up to whole tiles.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.fused.tiles import Launch

LAUNCH = Launch(rows=16, warps=4, shared_by=4)


@triton.jit
def positions_forward(
    x, fields, reference, out, N, Y, Z, width,
    d: tl.constexpr, C: tl.constexpr, BANDS: tl.constexpr, POINTS: tl.constexpr,
    GRID: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """D columns of ROWS points; GRID: distances are those of the places in the grid."""
    WAVES: tl.constexpr = d * BANDS
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.program_id(1) * D + tl.arange(0, D)
    sample = tl.program_id(2).to(tl.int64)
    keep = (rows < N)[:, None]
    x += sample * N * d
    fields += sample * N * C
    axis, power = cols % WAVES // BANDS, tl.exp2((cols % BANDS).to(tl.float32))
    wave = cols < 2 * WAVES
    place = tl.load(x + rows[:, None] * d + axis[None, :], mask=keep & wave[None, :], other=0.0)
    # a cosine is a sine a quarter of a turn further
    shift = tl.where(cols < WAVES, 0.0, 1.5707963267948966)
    value = tl.sin(place * power[None, :] + shift[None, :])
    point = cols - 2 * WAVES
    near = (point >= 0) & (point < POINTS)
    square = tl.zeros((ROWS, D), tl.float32)
    for i in tl.static_range(d):
        if GRID:
            if i == d - 1:
                at, size = rows % Z, Z
            elif i == d - 2:
                at, size = rows // Z % Y, Y
            else:
                at, size = rows // (Y * Z), N // (Y * Z)
            own = at.to(tl.float32) / tl.maximum(size - 1, 1)
        else:
            own = tl.load(x + rows * d + i, mask=rows < N, other=0.0)
        other = tl.load(reference + point * d + i, mask=near, other=0.0)
        apart = own[:, None] - other[None, :]
        square += apart * apart
    value = tl.where(near[None, :], tl.sqrt(tl.maximum(square, 1e-12)), value)
    channel = point - POINTS
    raw = (channel >= 0) & (channel < C)
    field = tl.load(
        fields + rows[:, None] * C + channel[None, :], mask=keep & raw[None, :], other=0.0
    )
    value = tl.where(raw[None, :], field, value)
    value = tl.where((channel < C)[None, :], value, 0.0)
    to = out + (sample * N + rows)[:, None] * width + cols[None, :]
    tl.store(to, value.to(out.dtype.element_ty), mask=keep)


def positions(
    x: Tensor,
    fields: Tensor | None,
    reference: Tensor,
    bands: int,
    grid: tuple[int, ...] | None,
    kind: torch.dtype,
    dim: int,
) -> Tensor:
    """Rows (B, N, P) of x (B, N, d), `fields` (B, N, C) at their end; P a multiple of `dim`."""
    B, N, d = x.shape
    C = 0 if fields is None else fields.shape[-1]
    tiles = triton.cdiv(2 * d * bands + len(reference) + C, dim)
    out = x.new_empty(B, N, tiles * dim, dtype=kind)
    _, Y, Z = (1, 1, *(grid or (1, 1)))[-3:]
    positions_forward[(triton.cdiv(N, LAUNCH.rows), tiles, B)](
        x, x if fields is None else fields, reference, out, N, Y, Z, tiles * dim,
        d=d, C=C, BANDS=bands, POINTS=len(reference), GRID=grid is not None, D=dim,
        **LAUNCH.flags,
    )  # fmt: skip
    return out
