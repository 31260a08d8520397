"""The norm in front of a product: forward a part of other kernels, backward a pass of its own.

n = x / (rms(x) + ε) · gain · (1 + scale) + shift, with scale and shift only where time enters
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.triton_tiles import (
    Launch,
    load_matrix,
    load_tile,
    partial_sums,
    reduce_partials,
    store_tile,
)

LAUNCH = Launch(rows=16, warps=4, shared_by=3, kilobytes=68)


@triton.jit
def inverse_rms(x, D: tl.constexpr, eps):
    return 1 / (tl.sqrt(tl.sum(x * x, axis=1) / D) + eps)


@triton.jit
def normed(x, gain, film, D: tl.constexpr, FILM: tl.constexpr, eps):
    """n of a tile; `gain` is loaded, `film` points to the sample's scale and shift."""
    n = x * inverse_rms(x, D, eps)[:, None] * gain[None, :]
    if FILM:
        cols = tl.arange(0, D)
        scale = tl.load(film + cols).to(tl.float32)
        shift = tl.load(film + D + cols).to(tl.float32)
        n = n * (1 + scale[None, :]) + shift[None, :]
    return n


@triton.jit
def norm_backward(
    h, gain, film, left, right, weight, dh_in, dh_out, part_out, N, left_stride, right_stride, eps,
    D: tl.constexpr, F: tl.constexpr, FILM: tl.constexpr, PAIR: tl.constexpr,
    DIVIDED: tl.constexpr, RESIDUAL: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Gradient of h from what hangs on n, on h itself, and on the residual stream if there is one.

    PAIR: n fed two products; `left` and `right` are their gradients, and `weight` has F rows for
    each. Else `left` is dn, and `right` the gradient of a product of h itself with `weight`.
    DIVIDED: what comes from n has been divided by the rms already.
    """
    sample = tl.program_id(1).to(tl.int64)
    step, cols = tl.num_programs(0), tl.arange(0, D)
    h += sample * N * D
    left += sample * N * left_stride
    right += sample * N * right_stride
    if RESIDUAL:
        dh_in += sample * N * D
    dh_out += sample * N * D
    g = tl.load(gain + cols)
    w_0 = load_matrix(weight, F, D)
    if PAIR:
        w_1 = load_matrix(weight + F * D, F, D)
    # added up per thread first: a sum over rows makes all warps wait for each other
    dgain = tl.zeros((ROWS, D), tl.float32)
    dscale = tl.zeros((ROWS, D), tl.float32)
    dshift = tl.zeros((ROWS, D), tl.float32)
    first = tl.program_id(0)
    next_x = load_tile(h, first, N, ROWS, D, D)
    next_left = load_tile(left, first, N, ROWS, D, left_stride)
    next_right = load_tile(right, first, N, ROWS, D, right_stride)
    if RESIDUAL:
        next_dh = load_tile(dh_in, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        x, d_left, d_right = next_x.to(tl.float32), next_left, next_right
        next_x = load_tile(h, index + step, N, ROWS, D, D)
        next_left = load_tile(left, index + step, N, ROWS, D, left_stride)
        next_right = load_tile(right, index + step, N, ROWS, D, right_stride)
        if RESIDUAL:
            dh = next_dh.to(tl.float32)
            next_dh = load_tile(dh_in, index + step, N, ROWS, D, D)
        inv = inverse_rms(x, D, eps)
        if PAIR:
            dn = tl.dot(d_left, w_0)
            dn = tl.dot(d_right, w_1, dn)
        else:
            dn = d_left.to(tl.float32)
        if not DIVIDED:
            dn = dn * inv[:, None]
        if FILM:
            scale = tl.load(film + sample * 2 * D + cols).to(tl.float32)
            dscale += dn * x * g[None, :]
            dshift += dn / inv[:, None]
            dn = dn * (1 + scale[None, :])
        dgain += dn * x
        dx = dn * g[None, :]
        rms = 1 / inv - eps
        along = tl.sum(dx * x, axis=1) * inv / (D * tl.maximum(rms, 1e-30))
        dx = dx - x * along[:, None]
        if not PAIR:
            dx = tl.dot(d_right, w_0, dx)
        if RESIDUAL:
            dx += dh
        store_tile(dh_out, dx, index, N, ROWS, D, D)
    PARTS: tl.constexpr = 3 if FILM else 1
    part = part_out + (sample * step + first) * PARTS * D + cols
    tl.store(part, tl.sum(dgain, axis=0))
    if FILM:
        tl.store(part + D, tl.sum(dscale, axis=0))
        tl.store(part + 2 * D, tl.sum(dshift, axis=0))


def norm_partials(h: Tensor, blocks: int, *, timed: bool) -> Tensor:
    """Room for the partial sums of all blocks."""
    B, N, D = h.shape
    return partial_sums(h, blocks, B, LAUNCH.at(D).programs(N, B), 3 if timed else 1, D)


def norm_gradient(
    h: Tensor,
    gain: Tensor,
    film: Tensor | None,
    eps: float,
    left: Tensor,
    right: Tensor,
    weight: Tensor,
    dh: Tensor | None,
    partials: Tensor,
    *,
    pair: bool,
    divided: bool,
) -> Tensor:
    """Gradient of h, and partial sums of the others; arguments as in `norm_backward`."""
    B, N, D = h.shape
    out = torch.empty_like(h)
    norm_backward[(partials.shape[1], B)](
        h, gain, film, left, right, weight, dh, out, partials, N, left.stride(1), right.stride(1),
        eps,
        D=D, F=weight.shape[0] // 2 if pair else D, FILM=film is not None, PAIR=pair,
        DIVIDED=divided, RESIDUAL=dh is not None,
        **LAUNCH.at(D).flags,
    )  # fmt: skip
    return out


def added_norms(partials: Tensor) -> tuple[Tensor, Tensor | None]:
    """Gradients of the gains (blocks, D) and of the films (blocks, B, 2 D), where there are any."""
    blocks, B, count, parts, D = partials.shape
    if parts == 1:
        return reduce_partials(partials.view(blocks, B * count, D)), None
    sums = reduce_partials(partials.view(blocks * B, count, 3, D)).view(blocks, B, 3, D)
    return sums[:, :, 0].sum(1), sums[:, :, 1:].flatten(2)
