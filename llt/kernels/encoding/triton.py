"""The raw input s of all points in one pass, in the type of the products.

A row is sin(2^b x), cos(2^b x), the distances to the reference points, and the fields, which are
the convolutions' on grids, their bias added here, else x and a; zeros fill it up to whole tiles.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.triton_tiles import Launch

LAUNCH = Launch(rows=64, warps=4, shared_by=4)
COLUMNS = 16  # of a tile: few, so that most hold one kind of number


@triton.jit
def encoding_forward(
    x, fields, bias, reference, out, N, Y, Z, width,
    d: tl.constexpr, C: tl.constexpr, BANDS: tl.constexpr, POINTS: tl.constexpr,
    GRID: tl.constexpr, BIASED: tl.constexpr, COLS: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """GRID: distances are those of the places in the grid."""
    WAVES: tl.constexpr = d * BANDS
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    start, sample = tl.program_id(1) * COLS, tl.program_id(2).to(tl.int64)
    cols = start + tl.arange(0, COLS)
    point, channel = cols - 2 * WAVES, cols - 2 * WAVES - POINTS
    x += sample * N * d
    fields += sample * N * C
    value = tl.zeros((ROWS, COLS), tl.float32)
    if start < 2 * WAVES:
        value = _waves(x, rows, cols, N, d, BANDS)
    if (start + COLS > 2 * WAVES) & (start < 2 * WAVES + POINTS):
        near = (point >= 0) & (point < POINTS)
        far = _distances(x, reference, rows, point, near, N, Y, Z, d, GRID)
        value = tl.where(near[None, :], far, value)
    if start + COLS > 2 * WAVES + POINTS:
        raw = (channel >= 0) & (channel < C)
        at = fields + rows[:, None] * C + channel[None, :]
        field = tl.load(at, mask=(rows < N)[:, None] & raw[None, :], other=0.0).to(tl.float32)
        if BIASED:
            field += tl.load(bias + channel, mask=raw, other=0.0)[None, :]
        value = tl.where((channel >= 0)[None, :], field, value)
    to = out + (sample * N + rows)[:, None] * width + cols[None, :]
    tl.store(to, value.to(out.dtype.element_ty), mask=(rows < N)[:, None])


@triton.jit
def _waves(x, rows, cols, N, d: tl.constexpr, BANDS: tl.constexpr):
    WAVES: tl.constexpr = d * BANDS
    at = x + rows[:, None] * d + (cols % WAVES // BANDS)[None, :]
    place = tl.load(at, mask=(rows < N)[:, None] & (cols < 2 * WAVES)[None, :], other=0.0)
    power = tl.exp2((cols % BANDS).to(tl.float32))
    # a cosine is a sine a quarter of a turn further
    shift = tl.where(cols < WAVES, 0.0, 1.5707963267948966)
    return tl.sin(place * power[None, :] + shift[None, :])


@triton.jit
def _distances(
    x, reference, rows, point, near, N, Y, Z, d: tl.constexpr, GRID: tl.constexpr
):  # fmt: skip
    square = rows[:, None] * 0.0 + point[None, :] * 0.0
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
    return tl.sqrt(tl.maximum(square, 1e-12))


def encode(
    x: Tensor,
    fields: Tensor,
    bias: Tensor | None,
    reference: Tensor,
    bands: int,
    grid: tuple[int, ...] | None,
    dtype: torch.dtype,
    dim: int,
) -> Tensor:
    """Rows of x (B, N, d) and `fields` (B, N, C) + `bias`, their width a multiple of `dim`."""
    B, N, d = x.shape
    C = fields.shape[-1]
    tiles = triton.cdiv(2 * d * bands + len(reference) + C, dim)
    out = x.new_empty(B, N, tiles * dim, dtype=dtype)
    _, Y, Z = (1, 1, *(grid or (1, 1)))[-3:]
    encoding_forward[(triton.cdiv(N, LAUNCH.rows), tiles * dim // COLUMNS, B)](
        x, fields, bias, reference, out, N, Y, Z, tiles * dim,
        d=d, C=C, BANDS=bands, POINTS=len(reference), GRID=grid is not None,
        BIASED=bias is not None, COLS=COLUMNS, **LAUNCH.flags,
    )  # fmt: skip
    return out
