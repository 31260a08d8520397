"""The norm in front of a product: forward as a part of other kernels, backward as its own pass.

n = x / (rms(x) + ε) · gain · (1 + scale) + shift, with scale and shift only where time enters
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.fused.tiles import Launch, load_rows, tile

LAUNCH = Launch(rows=32, warps=4, shared_by=3)


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
    h, gain, film, grads, weights, dn_in, side, side_weight, dh_in, dh_out, x_out, part_out,
    N, grads_stride, eps,
    D: tl.constexpr, F: tl.constexpr, PAIR: tl.constexpr, FILM: tl.constexpr,
    SIDE: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Gradient of h from what hangs on n, on h itself, and on the residual stream.

    dn is given or, with PAIR, the sum of two products of grads and weights, F rows of each.
    With SIDE, `side` and its weight give what a product of h itself adds, and h is stored
    narrow for that product's weight gradient.
    """
    sample = tl.program_id(1).to(tl.int64)
    rows, cols = tl.arange(0, ROWS), tl.arange(0, D)
    whole, wide = tile(ROWS, D, D), tile(ROWS, D, grads_stride)
    g = tl.load(gain + cols)
    if PAIR:
        w_0 = load_rows(weights, F, D)
        w_1 = load_rows(weights + F * D, F, D)
    if SIDE:
        w_side = load_rows(side_weight, D, D)
    # added up per thread first: a sum over rows makes all warps wait for each other
    dgain = tl.zeros((ROWS, D), tl.float32)
    dscale = tl.zeros((ROWS, D), tl.float32)
    dshift = tl.zeros((ROWS, D), tl.float32)
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        first = sample * N + index * ROWS
        keep = (rows < N - index * ROWS)[:, None]
        at, here = first * D + whole, first * grads_stride + wide
        if PAIR:
            dn = tl.dot(tl.load(grads + here, mask=keep, other=0.0), w_0)
            dn = tl.dot(tl.load(grads + here + D, mask=keep, other=0.0), w_1, dn)
        else:
            dn = tl.load(dn_in + at, mask=keep, other=0.0).to(tl.float32)
        x = tl.load(h + at, mask=keep, other=0.0).to(tl.float32)
        inv = inverse_rms(x, D, eps)
        if FILM:
            scale = tl.load(film + sample * 2 * D + cols).to(tl.float32)
            dscale += dn * x * inv[:, None] * g[None, :]
            dshift += dn
            dn = dn * (1 + scale[None, :])
        dgain += dn * x * inv[:, None]
        dx = dn * g[None, :]
        rms = 1 / inv - eps
        along = tl.sum(dx * x, axis=1) * inv * inv / (D * tl.maximum(rms, 1e-30))
        dx = dx * inv[:, None] - x * along[:, None]
        if SIDE:
            tl.store(x_out + at, x.to(x_out.dtype.element_ty), mask=keep)
            dside = tl.load(side + here, mask=keep, other=0.0)
            dx = tl.dot(dside, w_side, dx)
        dx += tl.load(dh_in + at, mask=keep, other=0.0).to(tl.float32)
        tl.store(dh_out + at, dx, mask=keep)
    part = part_out + (sample * tl.num_programs(0) + tl.program_id(0)) * 3 * D + cols
    tl.store(part, tl.sum(dgain, axis=0))
    if FILM:
        tl.store(part + D, tl.sum(dscale, axis=0))
        tl.store(part + 2 * D, tl.sum(dshift, axis=0))


def norm_gradient(
    h: Tensor,
    gain: Tensor,
    film: Tensor | None,
    eps: float,
    dh: Tensor,
    *,
    dn: Tensor | None = None,
    grads: Tensor | None = None,
    weights: Tensor | None = None,
    side: Tensor | None = None,
    side_weight: Tensor | None = None,
) -> tuple[Tensor, Tensor | None, Tensor, Tensor | None]:
    """Gradient of h, h in the type of the products where `side` is given, gradients of gain, film.

    dn (B, N, D) is what hangs on n, or grads (B, N, 2 D) times the two weights, one above the
    other; side (B, N, D) hangs on h through its weight, dh on h itself.
    """
    B, N, D = h.shape
    count = LAUNCH.programs(N, B)
    out = torch.empty_like(h)
    x = None if side is None else h.new_empty(B, N, D, dtype=side.dtype)
    partials = h.new_empty(B, count, 3, D, dtype=torch.float32)
    wide = grads if grads is not None else side
    norm_backward[(count, B)](
        h, gain, film, grads, weights, dn, side, side_weight, dh, out, x, partials,
        N, D if wide is None else wide.stride(1), eps,
        D=D, F=0 if weights is None else weights.shape[0] // 2,
        PAIR=grads is not None, FILM=film is not None, SIDE=side is not None,
        **LAUNCH.flags(D),
    )  # fmt: skip
    if film is None:
        return out, x, partials[:, :, 0].sum((0, 1)), None
    sums = partials.sum(1)  # (B, 3, D)
    return out, x, sums[:, 0].sum(0), sums[:, 1:].flatten(1).to(film.dtype)
