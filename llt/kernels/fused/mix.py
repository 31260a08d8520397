"""Second pass of a block: both paths mixed, gated, projected and added to the residual stream.

    far = φ(q) S / (φ(q) z + ε / N)
    h + W_out (sigmoid(g) ⊙ (α far + (1 - α) near)) + b_out

Nothing but the result is stored: the backward pass computes far and the gate again.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.sums import bias_gradient, weight_gradient
from llt.kernels.fused.tiles import (
    Launch,
    by_head,
    load_matrix,
    phi,
    phi_slope,
    side_by_side,
    state_tile,
    sums_tile,
    tile,
)

FORWARD = Launch(rows=32, warps=4, shared_by=3)
BACKWARD = Launch(rows=32, warps=4, shared_by=4)


@triton.jit
def mix_forward(
    h, proj, state, near_in, weight, bias, out, N, alpha, eps,
    D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    rows, cols = tl.arange(0, ROWS), tl.arange(0, D)
    whole, wide = tile(ROWS, D, D), tile(ROWS, D, 4 * D)
    kind = proj.dtype.element_ty
    state += sample * (C + 1) * D
    kv = tl.load(state + state_tile(D, C)).to(kind)
    z = tl.expand_dims(tl.load(state + sums_tile(D, C)), 1)
    w_out = load_matrix(weight, D)
    b_out = tl.load(bias + cols).to(tl.float32)
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        first = sample * N + index * ROWS
        keep = (rows < N - index * ROWS)[:, None]
        at, here = first * D + whole, proj + first * (4 * D) + wide
        q = tl.load(here, mask=keep, other=0.0).to(tl.float32)
        gate = tl.sigmoid(tl.load(here + 3 * D, mask=keep, other=0.0).to(tl.float32))
        near = tl.load(near_in + at, mask=keep, other=0.0).to(tl.float32)
        feature = by_head(phi(q).to(kind), C)
        below = tl.sum(feature.to(tl.float32) * z, axis=2) + eps / N
        far = side_by_side((tl.dot(feature, kv) / tl.expand_dims(below, 2)).to(kind))
        mixed = (gate * (alpha * far.to(tl.float32) + (1 - alpha) * near)).to(kind)
        total = tl.dot(mixed, tl.trans(w_out)) + b_out[None, :]
        total += tl.load(h + at, mask=keep, other=0.0).to(tl.float32)
        tl.store(out + at, total, mask=keep)


@triton.jit
def mix_backward(
    dmixed_in, proj, state, near_in, dproj, dnear_out, mixed_out, part_out, N, alpha, eps,
    D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    H: tl.constexpr = D // C
    sample = tl.program_id(1).to(tl.int64)
    rows = tl.arange(0, ROWS)
    whole, wide = tile(ROWS, D, D), tile(ROWS, D, 4 * D)
    kind = proj.dtype.element_ty
    state += sample * (C + 1) * D
    kv = tl.load(state + state_tile(D, C)).to(kind)
    z = tl.expand_dims(tl.load(state + sums_tile(D, C)), 1)
    dkv = tl.zeros((H, C, C), tl.float32)
    dz = tl.zeros((H, C), tl.float32)
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        first = sample * N + index * ROWS
        keep = (rows < N - index * ROWS)[:, None]
        at, here = first * D + whole, first * (4 * D) + wide
        dmixed = tl.load(dmixed_in + at, mask=keep, other=0.0).to(tl.float32)
        q = tl.load(proj + here, mask=keep, other=0.0)
        gate = tl.sigmoid(tl.load(proj + here + 3 * D, mask=keep, other=0.0).to(tl.float32))
        near = tl.load(near_in + at, mask=keep, other=0.0).to(tl.float32)
        feature = by_head(phi(q.to(tl.float32)).to(kind), C)
        below = tl.expand_dims(tl.sum(feature.to(tl.float32) * z, axis=2) + eps / N, 2)
        far = tl.dot(feature, kv) / below
        both = alpha * side_by_side(far.to(kind)).to(tl.float32) + (1 - alpha) * near
        tl.store(mixed_out + at, (gate * both).to(kind), mask=keep)

        dboth = dmixed * gate
        dgate = dboth * both * (1 - gate)
        tl.store(dproj + here + 3 * D, dgate.to(kind), mask=keep)
        tl.store(dnear_out + at, ((1 - alpha) * dboth).to(kind), mask=keep)

        dabove = by_head(dboth.to(kind), C).to(tl.float32) * (alpha / below)
        dbelow = -tl.expand_dims(tl.sum(dabove * far, axis=2), 2)
        dz += tl.sum(feature.to(tl.float32) * dbelow, axis=1)
        dabove = dabove.to(kind)
        dkv = tl.dot(tl.permute(feature, (0, 2, 1)), dabove, dkv)
        dfeature = tl.dot(dabove, tl.permute(kv, (0, 2, 1))) + dbelow * z
        dq = side_by_side(dfeature.to(kind)).to(tl.float32) * phi_slope(q.to(tl.float32))
        tl.store(dproj + here, dq.to(kind), mask=keep)
    part = part_out + (sample * tl.num_programs(0) + tl.program_id(0)) * (C + 1) * D
    tl.store(part + state_tile(D, C), dkv)
    tl.store(part + sums_tile(D, C), dz)


class Mix(torch.autograd.Function):
    """The new residual stream, float32 like h."""

    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        proj: Tensor,
        state: Tensor,
        near: Tensor,
        weight: Tensor,
        bias: Tensor,
        alpha: float,
        eps: float,
        narrow: Tensor,
    ) -> Tensor:
        B, N, D = h.shape
        near = near.contiguous()
        out = torch.empty_like(h)
        sizes = {"D": D, "C": state.shape[1] - 1}
        mix_forward[(FORWARD.programs(N, B), B)](
            h, proj, state, near, narrow, bias, out, N, alpha, eps, **sizes, **FORWARD.flags(D)
        )
        ctx.save_for_backward(proj, state, near, narrow)
        ctx.alpha, ctx.eps, ctx.sizes = alpha, eps, sizes
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dh: Tensor) -> tuple[Tensor | None, ...]:
        proj, state, near, weight = ctx.saved_tensors
        B, N, D = dh.shape
        up = dh.to(weight.dtype).contiguous()
        dmixed = up @ weight
        count = BACKWARD.programs(N, B)
        dproj = torch.empty_like(proj)  # its k and v columns belong to the projection's backward
        dnear, mixed = torch.empty_like(near), torch.empty_like(near)
        partials = dh.new_empty(B, count, *state.shape[1:], dtype=torch.float32)
        mix_backward[(count, B)](
            dmixed, proj, state, near, dproj, dnear, mixed, partials, N, ctx.alpha, ctx.eps,
            **ctx.sizes, **BACKWARD.flags(D),
        )  # fmt: skip
        dweight, dbias = weight_gradient(up, mixed), bias_gradient(up)
        return dh, dproj, partials.sum(1), dnear, dweight, dbias, None, None, None
