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
    block_diagonal,
    compact,
    head_sum,
    load_matrix,
    phi,
    phi_slope,
    programs,
    tile,
    warps,
)

ROWS, STAGES = 32, 1


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
    full = block_diagonal(state, D, C).to(kind)
    z = tl.load(state + C * D + cols)
    w_out = load_matrix(weight, D)
    b_out = tl.load(bias + cols).to(tl.float32)
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        first = sample * N + index * ROWS
        keep = (rows < N - index * ROWS)[:, None]
        near = tl.load(near_in + first * D + whole, mask=keep, other=0.0).to(tl.float32)
        here = proj + first * (4 * D) + wide
        feature = phi(tl.load(here, mask=keep, other=0.0).to(tl.float32))
        below = head_sum(feature * z[None, :], D // C, C) + eps / N
        far = tl.dot(feature.to(kind), full) / below
        gate = tl.sigmoid(tl.load(here + 3 * D, mask=keep, other=0.0).to(tl.float32))
        mixed = (gate * (alpha * far + (1 - alpha) * near)).to(kind)
        total = tl.dot(mixed, tl.trans(w_out)) + b_out[None, :]
        total += tl.load(h + first * D + whole, mask=keep, other=0.0).to(tl.float32)
        tl.store(out + first * D + whole, total, mask=keep)


@triton.jit
def mix_backward(
    dh, proj, state, near_in, weight, dproj, dnear_out, mixed_out, up_out, part_out,
    N, alpha, eps,
    D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    rows, cols = tl.arange(0, ROWS), tl.arange(0, D)
    whole, wide = tile(ROWS, D, D), tile(ROWS, D, 4 * D)
    kind = proj.dtype.element_ty
    state += sample * (C + 1) * D
    full = block_diagonal(state, D, C).to(kind)
    z = tl.load(state + C * D + cols)
    w_out = load_matrix(weight, D)
    dkv = tl.zeros((C, D), tl.float32)
    dz = tl.zeros((D,), tl.float32)
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        first = sample * N + index * ROWS
        keep = (rows < N - index * ROWS)[:, None]
        at, here = first * D + whole, first * (4 * D) + wide
        near = tl.load(near_in + at, mask=keep, other=0.0).to(tl.float32)
        q = tl.load(proj + here, mask=keep, other=0.0).to(tl.float32)
        feature = phi(q)
        below = head_sum(feature * z[None, :], D // C, C) + eps / N
        far = tl.dot(feature.to(kind), full) / below
        both = alpha * far + (1 - alpha) * near
        gate = tl.sigmoid(tl.load(proj + here + 3 * D, mask=keep, other=0.0).to(tl.float32))
        tl.store(mixed_out + at, (gate * both).to(kind), mask=keep)

        up = tl.load(dh + at, mask=keep, other=0.0).to(kind)
        tl.store(up_out + at, up, mask=keep)
        dmixed = tl.dot(up, w_out)
        dboth = dmixed * gate
        dgate = dboth * both * (1 - gate)
        tl.store(dproj + here + 3 * D, dgate.to(kind), mask=keep)
        tl.store(dnear_out + at, ((1 - alpha) * dboth).to(kind), mask=keep)

        dabove = alpha * dboth / below
        dbelow = -head_sum(dabove * far, D // C, C)
        dz += tl.sum(feature * dbelow, axis=0)
        dabove = dabove.to(kind)
        dkv += compact(tl.dot(tl.trans(feature.to(kind)), dabove), D, C)
        dfeature = tl.dot(dabove, tl.trans(full)) + dbelow * z[None, :]
        # read again rather than kept: registers are dearer than the cache
        q = tl.load(proj + here, mask=keep, other=0.0).to(tl.float32)
        tl.store(dproj + here, (dfeature * phi_slope(q)).to(kind), mask=keep)
    part = part_out + (sample * tl.num_programs(0) + tl.program_id(0)) * (C + 1) * D
    tl.store(part + tile(C, D, D), dkv)
    tl.store(part + C * D + cols, dz)


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
        flags = {
            "D": D, "C": state.shape[1] - 1, "ROWS": ROWS,
            "num_warps": warps(D), "num_stages": STAGES,
        }  # fmt: skip
        near = near.contiguous()
        out = torch.empty_like(h)
        mix_forward[(programs(N, ROWS, B), B)](
            h, proj, state, near, narrow, bias, out, N, alpha, eps, **flags
        )
        ctx.save_for_backward(proj, state, near, narrow)
        ctx.alpha, ctx.eps, ctx.flags = alpha, eps, flags
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dh: Tensor) -> tuple[Tensor | None, ...]:
        proj, state, near, weight = ctx.saved_tensors
        B, N, _ = dh.shape
        dh = dh.contiguous()
        count = programs(N, ROWS, B)
        dproj = torch.empty_like(proj)  # its k and v columns belong to the projection's backward
        dnear, mixed, up = (torch.empty_like(near) for _ in range(3))
        partials = dh.new_empty(B, count, *state.shape[1:], dtype=torch.float32)
        mix_backward[(count, B)](
            dh, proj, state, near, weight, dproj, dnear, mixed, up, partials,
            N, ctx.alpha, ctx.eps, **ctx.flags,
        )  # fmt: skip
        dweight, dbias = weight_gradient(up, mixed), bias_gradient(up)
        return dh, dproj, partials.sum(1), dnear, dweight, dbias, None, None, None
