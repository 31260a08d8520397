"""Second pass of a block: both paths mixed, gated, projected and added to the residual stream.

    far = φ(q) S / (φ(q) z + ε / N)
    near = W_point c + b_point, where the local path ends with a product; else c
    h + W_out (s ⊙ (α far + (1 - α) near)) + b_out

Nothing but the result is stored: the backward pass computes far and near again.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.fused.norm import store_stream
from llt.kernels.fused.tiles import (
    Launch,
    add_up,
    by_head,
    load_matrix,
    load_tile,
    partial_sums,
    reciprocal,
    side_by_side,
    state_tiles,
    store_tile,
    sums_tile,
)

FORWARD = Launch(rows=16, warps=8, shared_by=2)
BACKWARD = Launch(rows=32, warps=8, shared_by=1)


@triton.jit
def mix_forward(
    h, proj, state, c, point, point_bias, weight, bias, out, rms_out, N, alpha, eps,
    D: tl.constexpr, C: tl.constexpr, POINT: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    kind = proj.dtype.element_ty
    h += sample * N * D
    c += sample * N * D
    out += sample * N * D
    rms_out += sample * N
    proj += sample * N * 4 * D
    state += sample * (C + 1) * D
    at, spread, same = state_tiles(D, C)
    kv = tl.load(state + at, mask=same, other=0.0).to(kind)
    z = tl.load(state + spread, mask=same, other=0.0).to(kind)
    w_out = load_matrix(weight, D, D)
    b_out = tl.load(bias + tl.arange(0, D)).to(tl.float32)
    if POINT:
        w_point = load_matrix(point, D, D)
        b_point = tl.load(point_bias + tl.arange(0, D)).to(tl.float32)
    next_q = load_tile(proj, first, N, ROWS, D, 4 * D)
    next_s = load_tile(proj + 3 * D, first, N, ROWS, D, 4 * D)
    next_c = load_tile(c, first, N, ROWS, D, D)
    next_h = load_tile(h, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        feature, s = by_head(next_q, C), next_s.to(tl.float32)
        near, x = next_c, next_h
        next_q = load_tile(proj, index + step, N, ROWS, D, 4 * D)
        next_s = load_tile(proj + 3 * D, index + step, N, ROWS, D, 4 * D)
        next_c = load_tile(c, index + step, N, ROWS, D, D)
        next_h = load_tile(h, index + step, N, ROWS, D, D)
        if POINT:
            near = tl.dot(near, tl.trans(w_point)) + b_point[None, :]
        far = tl.dot(feature, kv) * reciprocal(tl.dot(feature, z) + eps / N)
        far = side_by_side(far.to(kind))
        mixed = (s * (alpha * far.to(tl.float32) + (1 - alpha) * near.to(tl.float32))).to(kind)
        total = tl.dot(mixed, tl.trans(w_out)) + b_out[None, :]
        store_stream(out, rms_out, total + x.to(tl.float32), index, N, ROWS, D)


@triton.jit
def mix_backward(
    dh, proj, state, c, point, point_bias, weight, dproj, dc, dnear_out, mixed_out, part_out,
    N, alpha, eps,
    D: tl.constexpr, C: tl.constexpr, POINT: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    G: tl.constexpr = C if C > 16 else 16
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    kind = proj.dtype.element_ty
    dh += sample * N * D
    c += sample * N * D
    dc += sample * N * D
    mixed_out += sample * N * D
    proj += sample * N * 4 * D
    dproj += sample * N * 4 * D
    state += sample * (C + 1) * D
    at, spread, same = state_tiles(D, C)
    kv = tl.load(state + at, mask=same, other=0.0).to(kind)
    z = tl.load(state + spread, mask=same, other=0.0).to(kind)
    row = tl.expand_dims(tl.load(state + sums_tile(D, C)), 1)
    w_out = load_matrix(weight, D, D)
    if POINT:
        dnear_out += sample * N * D
        w_point = load_matrix(point, D, D)
        b_point = tl.load(point_bias + tl.arange(0, D)).to(tl.float32)
    ones = tl.where(same, 1.0, 0.0).to(kind)
    dkv = tl.zeros((D // G, G, G), tl.float32)
    dz = tl.zeros((D // G, ROWS, G), tl.float32)
    next_q = load_tile(proj, first, N, ROWS, D, 4 * D)
    next_s = load_tile(proj + 3 * D, first, N, ROWS, D, 4 * D)
    next_c = load_tile(c, first, N, ROWS, D, D)
    next_up = load_tile(dh, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        q, s = next_q, next_s.to(tl.float32)
        near, up = next_c, next_up
        next_q = load_tile(proj, index + step, N, ROWS, D, 4 * D)
        next_s = load_tile(proj + 3 * D, index + step, N, ROWS, D, 4 * D)
        next_c = load_tile(c, index + step, N, ROWS, D, D)
        next_up = load_tile(dh, index + step, N, ROWS, D, D)
        feature = by_head(q, C)
        below = reciprocal(tl.dot(feature, z) + eps / N)
        far = tl.dot(feature, kv) * below
        if POINT:
            near = tl.dot(near, tl.trans(w_point)) + b_point[None, :]
        near = (1 - alpha) * near.to(tl.float32)
        both = alpha * side_by_side(far.to(kind)).to(tl.float32) + near
        store_tile(mixed_out, s * both, index, N, ROWS, D, D)
        dboth = tl.dot(up.to(kind), w_out) * s
        store_tile(dproj + 3 * D, dboth * both * (1 - s), index, N, ROWS, D, 4 * D)
        dnear = ((1 - alpha) * dboth).to(kind)
        if POINT:
            store_tile(dnear_out, dnear, index, N, ROWS, D, D)
            store_tile(dc, tl.dot(dnear, w_point), index, N, ROWS, D, D)
        else:
            store_tile(dc, dnear, index, N, ROWS, D, D)

        dabove = by_head(dboth.to(kind), C).to(tl.float32) * (alpha * below)
        dbelow = -tl.dot((dabove * far).to(kind), ones)
        dz += feature.to(tl.float32) * dbelow
        dabove = dabove.to(kind)
        dkv = tl.dot(tl.permute(feature, (0, 2, 1)), dabove, dkv)
        dfeature = tl.dot(dabove, tl.permute(kv, (0, 2, 1))) + dbelow * row
        slope = tl.minimum(q.to(tl.float32), 1.0)
        dq = side_by_side(dfeature.to(kind)).to(tl.float32) * slope
        store_tile(dproj, dq, index, N, ROWS, D, 4 * D)
    part = part_out + (sample * step + first) * (C + 1) * D
    tl.store(part + at, dkv, mask=same)
    tl.store(part + sums_tile(D, C), tl.sum(dz, axis=1))


class Point(NamedTuple):
    """The product that the local path of a grid ends with, in the type of the products."""

    weight: Tensor
    bias: Tensor


def mix(
    h: Tensor,
    proj: Tensor,
    state: Tensor,
    c: Tensor,
    point: Point | None,
    weight: Tensor,
    bias: Tensor,
    alpha: float,
    eps: float,
) -> tuple[Tensor, Tensor]:
    """The new residual stream and its rms."""
    B, N, D = h.shape
    out, rms, launch = torch.empty_like(h), h.new_empty(B, N, dtype=torch.float32), FORWARD.at(D)
    mix_forward[(launch.programs(N, B), B)](
        h, proj, state, c, *(point or (None, None)), weight, bias, out, rms, N, alpha, eps,
        D=D, C=state.shape[1] - 1, POINT=point is not None, **launch.flags,
    )  # fmt: skip
    return out, rms


class MixGradient(NamedTuple):
    proj: Tensor  # without the columns of k and v
    state: Tensor
    c: Tensor
    near: Tensor  # of W_point's result; c's own where there is no such product
    mixed: Tensor  # what W_out multiplies: no gradient, but that of W_out needs it


def mix_gradient(
    dout: Tensor,
    proj: Tensor,
    state: Tensor,
    c: Tensor,
    point: Point | None,
    weight: Tensor,
    alpha: float,
    eps: float,
) -> MixGradient:
    B, N, D = dout.shape
    launch = BACKWARD.at(D)
    count = launch.programs(N, B)
    dproj, dc, mixed = torch.empty_like(proj), torch.empty_like(c), torch.empty_like(c)
    dnear = dc if point is None else torch.empty_like(c)
    partials = partial_sums(c, B, count, *state.shape[1:])
    mix_backward[(count, B)](
        dout, proj, state, c, *(point or (None, None)), weight, dproj, dc, dnear, mixed, partials,
        N, alpha, eps,
        D=D, C=state.shape[1] - 1, POINT=point is not None, **launch.flags,
    )  # fmt: skip
    return MixGradient(dproj, add_up(partials), dc, dnear, mixed)
