"""The norm in front of a product, a part of other kernels forward and backward.

The rms of every row comes with the residual stream: whoever makes a row has all of it at hand.

n = x / (rms(x) + ε) · gain · (1 + scale) + shift, with scale and shift only where time enters
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.fused.tiles import Launch, add_up, load_tile, partial_sums, store_tile


LAUNCH = Launch(rows=16, warps=4, shared_by=8)


@triton.jit
def load_rms(rms, index, N, ROWS: tl.constexpr):
    """Of the rows of tile `index`; one beyond the last point, where all else is zero."""
    rows = index * ROWS + tl.arange(0, ROWS)
    return tl.load(rms + rows, mask=rows < N, other=1.0)


@triton.jit
def store_stream(target, rms, value, index, N, ROWS: tl.constexpr, D: tl.constexpr):
    """A tile of the residual stream as it is kept, and the rms of its rows."""
    kept = value.to(target.dtype.element_ty)
    store_tile(target, kept, index, N, ROWS, D, D)
    store_rms(rms, kept.to(tl.float32), index, N, ROWS, D)


@triton.jit
def store_rms(rms, x, index, N, ROWS: tl.constexpr, D: tl.constexpr):
    rows = index * ROWS + tl.arange(0, ROWS)
    tl.store(rms + rows, tl.sqrt(tl.sum(x * x, axis=1) / D), mask=rows < N)


@triton.jit
def normed(x, rms, gain, film, D: tl.constexpr, FILM: tl.constexpr, eps):
    """n of a tile; `gain` is loaded, `film` points to the sample's scale and shift."""
    n = x.to(tl.float32) * (1 / (rms + eps))[:, None] * gain[None, :]
    if FILM:
        cols = tl.arange(0, D)
        scale = tl.load(film + cols).to(tl.float32)
        shift = tl.load(film + D + cols).to(tl.float32)
        n = n * (1 + scale[None, :]) + shift[None, :]
    return n


@triton.jit
def through_norm(dy, x, rms, D: tl.constexpr, eps):
    """Gradient of x from that of x / (rms + ε), given divided by rms + ε."""
    along = tl.sum(dy * x, axis=1) / ((rms + eps) * D * tl.maximum(rms, 1e-30))
    return dy - x * along[:, None]


@triton.jit
def norm_rms(h, rms, N, D: tl.constexpr, ROWS: tl.constexpr):
    sample = tl.program_id(1).to(tl.int64)
    h += sample * N * D
    rms += sample * N
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        x = load_tile(h, index, N, ROWS, D, D).to(tl.float32)
        store_rms(rms, x, index, N, ROWS, D)


def row_rms(h: Tensor) -> Tensor:
    """Of every point (B, N), in float32; later ones come from the kernels that make the stream."""
    B, N, D = h.shape
    rms, launch = h.new_empty(B, N, dtype=torch.float32), LAUNCH.at(D)
    norm_rms[(launch.programs(N, B), B)](h, rms, N, D=D, **launch.flags)
    return rms


def norm_partials(h: Tensor, blocks: int, launch: Launch, parts: int) -> Tensor:
    """Room for the sums of all blocks that the programs of `launch` leave."""
    B, N, D = h.shape
    return partial_sums(h, blocks, B, launch.at(D).programs(N, B), parts, D)


def added_norms(partials: Tensor) -> tuple[Tensor, Tensor | None]:
    """Gradients of the gains (blocks, D) and of the films (blocks, B, 2 D), where there are any."""
    blocks, B, count, parts, D = partials.shape
    if parts == 1:
        return add_up(partials.view(blocks, B * count, D)), None
    sums = add_up(partials.view(blocks * B, count, 3, D)).view(blocks, B, 3, D)
    return sums[:, :, 0].sum(1), sums[:, :, 1:].flatten(2)
