"""Second pass of a block: both paths mixed, gated, projected and added to the residual stream.

    global = φ(q) S / (φ(q) z + ε / N)
    h + W_out (s ⊙ (α global + (1 - α) local)) + b_out

Nothing but the result is stored: the backward pass computes the global path again.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.triton_tiles import (
    Launch,
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

FORWARD = Launch(rows=16, warps=8, shared_by=3, kilobytes=56)
BACKWARD = Launch(rows=16, warps=4, shared_by=2, kilobytes=36)


@triton.jit
def mix_forward(
    h, proj, state, local_in, weight, bias, out, N, alpha, eps,
    D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    dtype = proj.dtype.element_ty
    h += sample * N * D
    local_in += sample * N * D
    out += sample * N * D
    proj += sample * N * 4 * D
    state += sample * (C + 1) * D
    at, spread, same = state_tiles(D, C)
    kv = tl.load(state + at, mask=same, other=0.0).to(dtype)
    z = tl.load(state + spread, mask=same, other=0.0).to(dtype)
    w_out = load_matrix(weight, D, D)
    b_out = tl.load(bias + tl.arange(0, D)).to(tl.float32)
    next_q = load_tile(proj, first, N, ROWS, D, 4 * D)
    next_s = load_tile(proj + 3 * D, first, N, ROWS, D, 4 * D)
    next_local = load_tile(local_in, first, N, ROWS, D, D)
    next_h = load_tile(h, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        feature, s = by_head(next_q, C), next_s.to(tl.float32)
        local, x = next_local.to(tl.float32), next_h
        next_q = load_tile(proj, index + step, N, ROWS, D, 4 * D)
        next_s = load_tile(proj + 3 * D, index + step, N, ROWS, D, 4 * D)
        next_local = load_tile(local_in, index + step, N, ROWS, D, D)
        next_h = load_tile(h, index + step, N, ROWS, D, D)
        global_ = tl.dot(feature, kv) * reciprocal(tl.dot(feature, z) + eps / N)
        global_ = side_by_side(global_.to(dtype))
        mixed = (s * (alpha * global_.to(tl.float32) + (1 - alpha) * local)).to(dtype)
        total = tl.dot(mixed, tl.trans(w_out)) + b_out[None, :]
        store_tile(out, total + x.to(tl.float32), index, N, ROWS, D, D)


@triton.jit
def mix_backward(
    dmixed_in, proj, state, local_in, dproj, dlocal_out, mixed_out, part_out, N, alpha, eps,
    D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    G: tl.constexpr = C if C > 16 else 16
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    dtype = proj.dtype.element_ty
    dmixed_in += sample * N * D
    local_in += sample * N * D
    dlocal_out += sample * N * D
    mixed_out += sample * N * D
    proj += sample * N * 4 * D
    dproj += sample * N * 4 * D
    state += sample * (C + 1) * D
    at, spread, same = state_tiles(D, C)
    kv = tl.load(state + at, mask=same, other=0.0).to(dtype)
    z = tl.load(state + spread, mask=same, other=0.0).to(dtype)
    row = tl.expand_dims(tl.load(state + sums_tile(D, C)), 1)
    ones = tl.where(same, 1.0, 0.0).to(dtype)
    dkv = tl.zeros((D // G, G, G), tl.float32)
    dz = tl.zeros((D // G, ROWS, G), tl.float32)
    next_q = load_tile(proj, first, N, ROWS, D, 4 * D)
    next_s = load_tile(proj + 3 * D, first, N, ROWS, D, 4 * D)
    next_local = load_tile(local_in, first, N, ROWS, D, D)
    next_up = load_tile(dmixed_in, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        q, s = next_q, next_s.to(tl.float32)
        local, dmixed = next_local.to(tl.float32), next_up.to(tl.float32)
        next_q = load_tile(proj, index + step, N, ROWS, D, 4 * D)
        next_s = load_tile(proj + 3 * D, index + step, N, ROWS, D, 4 * D)
        next_local = load_tile(local_in, index + step, N, ROWS, D, D)
        next_up = load_tile(dmixed_in, index + step, N, ROWS, D, D)
        feature = by_head(q, C)
        below = reciprocal(tl.dot(feature, z) + eps / N)
        global_ = tl.dot(feature, kv) * below
        both = alpha * side_by_side(global_.to(dtype)).to(tl.float32) + (1 - alpha) * local
        store_tile(mixed_out, s * both, index, N, ROWS, D, D)
        dboth = dmixed * s
        store_tile(dproj + 3 * D, dboth * both * (1 - s), index, N, ROWS, D, 4 * D)
        store_tile(dlocal_out, (1 - alpha) * dboth, index, N, ROWS, D, D)

        dabove = by_head(dboth.to(dtype), C).to(tl.float32) * (alpha * below)
        dbelow = -tl.dot((dabove * global_).to(dtype), ones)
        dz += feature.to(tl.float32) * dbelow
        dabove = dabove.to(dtype)
        dkv = tl.dot(tl.permute(feature, (0, 2, 1)), dabove, dkv)
        dfeature = tl.dot(dabove, tl.permute(kv, (0, 2, 1))) + dbelow * row
        slope = tl.minimum(q.to(tl.float32), 1.0)
        dq = side_by_side(dfeature.to(dtype)).to(tl.float32) * slope
        store_tile(dproj, dq, index, N, ROWS, D, 4 * D)
    part = part_out + (sample * step + first) * (C + 1) * D
    tl.store(part + at, dkv, mask=same)
    tl.store(part + sums_tile(D, C), tl.sum(dz, axis=1))


def mix(
    h: Tensor,
    proj: Tensor,
    state: Tensor,
    local: Tensor,
    weight: Tensor,
    bias: Tensor,
    alpha: float,
    eps: float,
) -> Tensor:
    """The new residual stream."""
    B, N, D = h.shape
    out, launch = torch.empty_like(h), FORWARD.at(D)
    mix_forward[(launch.programs(N, B), B)](
        h, proj, state, local, weight, bias, out, N, alpha, eps,
        D=D, C=state.shape[1] - 1, **launch.flags,
    )  # fmt: skip
    return out


def mix_gradient(
    dmixed: Tensor, proj: Tensor, state: Tensor, local: Tensor, alpha: float, eps: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """dproj without its k and v columns, partial sums of dstate, dlocal, and `mixed` itself.

    `mixed` is what W_out multiplies; its gradient is given.
    """
    B, N, D = dmixed.shape
    launch = BACKWARD.at(D)
    count = launch.programs(N, B)
    dproj, dlocal, mixed = torch.empty_like(proj), torch.empty_like(local), torch.empty_like(local)
    partials = partial_sums(local, B, count, *state.shape[1:])
    mix_backward[(count, B)](
        dmixed, proj, state, local, dproj, dlocal, mixed, partials, N, alpha, eps,
        D=D, C=state.shape[1] - 1, **launch.flags,
    )  # fmt: skip
    return dproj, partials, dlocal, mixed
