"""Second pass of a block: both paths mixed, gated, projected and added to the residual stream.

    far = φ(q) S / (φ(q) z + ε / N)
    near = W_point c + b on grids, c on point sets
    h + W_out (sigmoid(g) ⊙ (α far + (1 - α) near)) + b_out

Nothing but the result is stored: the backward pass computes far, near and the gate again.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.tiles import (
    add_partials,
    block_diagonal,
    block_width,
    compact,
    dot_precision,
    head_sum,
    num_tiles,
    phi,
    phi_slope,
    tile,
    warps,
)
from llt.kernels.fused.weight_gradient import weight_gradients

ROWS, STAGES = 64, 1


@triton.jit
def _near(
    c, whole, keep, channel, point, point_bias,
    D: tl.constexpr, W: tl.constexpr, ROWS: tl.constexpr, POINTWISE: tl.constexpr,
    DOT: tl.constexpr,
):  # fmt: skip
    """W channels of the local path."""
    if POINTWISE:
        weight = tl.load(point + channel * D + tile(W, D, D))
        source = tl.load(c + whole, mask=keep, other=0.0)
        near = tl.dot(source, tl.trans(weight), input_precision=DOT)
        near += tl.load(point_bias + channel + tl.arange(0, W)).to(tl.float32)[None, :]
    else:
        near = tl.load(c + channel + tile(ROWS, W, D), mask=keep, other=0.0).to(tl.float32)
    return near


@triton.jit
def _forward(
    h, proj, state, c, point, point_bias, weight, bias, out, N, alpha, eps,
    D: tl.constexpr, C: tl.constexpr, W: tl.constexpr, ROWS: tl.constexpr,
    POINTWISE: tl.constexpr, DOT: tl.constexpr,
):  # fmt: skip
    program, sample = tl.program_id(0), tl.program_id(1).to(tl.int64)
    first = sample * N + program * ROWS
    block = tl.arange(0, W)
    keep = (tl.arange(0, ROWS) < N - program * ROWS)[:, None]
    whole = tile(ROWS, D, D)
    kind = proj.dtype.element_ty
    state += sample * (C + 1) * D
    c += first * D
    total = tl.load(h + first * D + whole, mask=keep, other=0.0).to(tl.float32)
    total += tl.load(bias + tl.arange(0, D)).to(tl.float32)[None, :]
    for channel in range(0, D, W):
        here = proj + first * (4 * D) + channel + tile(ROWS, W, 4 * D)
        feature = phi(tl.load(here, mask=keep, other=0.0).to(tl.float32))
        z = tl.load(state + C * D + channel + block)
        below = head_sum(feature * z[None, :], W // C, C) + eps / N
        full = block_diagonal(state + channel, D, W, C).to(kind)
        far = tl.dot(feature.to(kind), full, input_precision=DOT) / below
        near = _near(c, whole, keep, channel, point, point_bias, D, W, ROWS, POINTWISE, DOT)
        gate = tl.sigmoid(tl.load(here + 3 * D, mask=keep, other=0.0).to(tl.float32))
        mixed = (gate * (alpha * far + (1 - alpha) * near)).to(kind)
        part = tl.load(weight + channel + tile(D, W, D))
        total = tl.dot(mixed, tl.trans(part), total, input_precision=DOT)
    tl.store(out + first * D + whole, total, mask=keep)


@triton.jit
def _backward(
    dh, proj, state, c, point, point_bias, weight, dproj, dc, dnear_out, mixed_out, part_out,
    N, alpha, eps,
    D: tl.constexpr, C: tl.constexpr, W: tl.constexpr, ROWS: tl.constexpr,
    POINTWISE: tl.constexpr, DOT: tl.constexpr,
):  # fmt: skip
    program, sample = tl.program_id(0), tl.program_id(1).to(tl.int64)
    first = sample * N + program * ROWS
    block = tl.arange(0, W)
    keep = (tl.arange(0, ROWS) < N - program * ROWS)[:, None]
    whole = tile(ROWS, D, D)
    kind = proj.dtype.element_ty
    state += sample * (C + 1) * D
    c += first * D
    up = tl.load(dh + first * D + whole, mask=keep, other=0.0).to(kind)
    part = part_out + (sample * tl.num_programs(0) + program) * (C + 1) * D
    total = tl.zeros((ROWS, D), tl.float32)
    for channel in range(0, D, W):
        at = first * D + channel + tile(ROWS, W, D)
        here = first * (4 * D) + channel + tile(ROWS, W, 4 * D)
        q = tl.load(proj + here, mask=keep, other=0.0).to(tl.float32)
        feature = tl.where(keep, phi(q), 0.0)
        z = tl.load(state + C * D + channel + block)
        below = head_sum(feature * z[None, :], W // C, C) + eps / N
        full = block_diagonal(state + channel, D, W, C).to(kind)
        far = tl.dot(feature.to(kind), full, input_precision=DOT) / below
        near = _near(c, whole, keep, channel, point, point_bias, D, W, ROWS, POINTWISE, DOT)
        gate = tl.sigmoid(tl.load(proj + here + 3 * D, mask=keep, other=0.0).to(tl.float32))
        both = alpha * far + (1 - alpha) * near
        tl.store(mixed_out + at, (gate * both).to(kind), mask=keep)

        dmixed = tl.dot(up, tl.load(weight + channel + tile(D, W, D)), input_precision=DOT)
        dgate = dmixed * both * gate * (1 - gate)
        tl.store(dproj + here + 3 * D, dgate.to(kind), mask=keep)
        dboth = dmixed * gate
        dnear = ((1 - alpha) * dboth).to(kind)
        tl.store(dnear_out + at, dnear, mask=keep)
        if POINTWISE:
            rows = tl.load(point + channel * D + tile(W, D, D))
            total = tl.dot(dnear, rows, total, input_precision=DOT)

        dabove = alpha * dboth / below
        dbelow = -head_sum(dabove * far, W // C, C)
        dfeature = tl.dot(dabove.to(kind), tl.trans(full), input_precision=DOT)
        dfeature += dbelow * z[None, :]
        tl.store(dproj + here, (dfeature * phi_slope(q)).to(kind), mask=keep)
        dkv = tl.dot(tl.trans(feature.to(kind)), dabove.to(kind), input_precision=DOT)
        tl.store(part + channel + tile(C, W, D), compact(dkv, W, C))
        tl.store(part + C * D + channel + block, tl.sum(feature * dbelow, axis=0))
    if POINTWISE:
        tl.store(dc + first * D + whole, total.to(kind), mask=keep)


class Mix(torch.autograd.Function):
    """The new residual stream, float32 like h."""

    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        proj: Tensor,
        state: Tensor,
        c: Tensor,
        point: Tensor | None,
        point_bias: Tensor | None,
        weight: Tensor,
        bias: Tensor,
        alpha: float,
        eps: float,
    ) -> Tensor:
        B, N, D = h.shape
        kind = proj.dtype
        C = state.shape[1] - 1
        flags = {
            "D": D, "C": C, "W": block_width(D, D // C), "ROWS": ROWS,
            "POINTWISE": point is not None, "DOT": dot_precision(kind),
            "num_warps": warps(D), "num_stages": STAGES,
        }  # fmt: skip
        point_, weight_ = None if point is None else point.to(kind), weight.to(kind)
        out = torch.empty_like(h)
        _forward[(num_tiles(N, ROWS), B)](
            h, proj, state, c, point_, point_bias, weight_, bias, out, N, alpha, eps,
            **flags,
        )  # fmt: skip
        ctx.save_for_backward(proj, state, c, point_, point_bias, weight_)
        ctx.alpha, ctx.eps, ctx.flags = alpha, eps, flags
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dh: Tensor) -> tuple[Tensor | None, ...]:
        proj, state, c, point, point_bias, weight = ctx.saved_tensors
        B, N, D = dh.shape
        dh = dh.contiguous()
        programs = num_tiles(N, ROWS)
        dproj = torch.empty_like(proj)  # its k and v columns belong to the projection's backward
        dc, mixed = torch.empty_like(c), torch.empty_like(c)
        dnear = torch.empty_like(c) if point is not None else dc
        partials = dh.new_empty(B, programs, *state.shape[1:], dtype=torch.float32)
        _backward[(programs, B)](
            dh, proj, state, c, point, point_bias, weight, dproj, dc, dnear, mixed, partials,
            N, ctx.alpha, ctx.eps, **ctx.flags,
        )  # fmt: skip
        pairs = [(dh, 0, mixed), (dnear, 0, c)][: 1 if point is None else 2]
        weights, biases = weight_gradients(pairs, D)
        dpoint = (None, None) if point is None else (weights[1], biases[1])
        dstate = add_partials(partials, 1)
        return dh, dproj, dstate, dc, *dpoint, weights[0], biases[0], None, None
