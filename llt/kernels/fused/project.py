"""First pass of a block: norm, the q, k, v and gate projections, and the sums over all points.

    n = rms_norm(h) · (1 + scale) + shift        (B, N, D)
    proj = (W_q n, W_k n, W_v n, W_gate h + b)   (B, N, 4 D)
    state = (sum φ(k) v^T, sum φ(k)) / N         (B, C + 1, D), see tiles.py

Dividing by N keeps the state within the range of 16-bit numbers; the mix divides it out again.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.norm import norm_gradient, normed
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

FORWARD = Launch(rows=32, warps=4, shared_by=2)
BACKWARD = Launch(rows=32, warps=4, shared_by=4)


@triton.jit
def project_forward(
    h, gain, film, mask, qkv, gate, gate_bias, n_out, proj_out, part_out, N, eps,
    D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, FILM: tl.constexpr,
    MASK: tl.constexpr,
):  # fmt: skip
    """Half of the programs do the queries and the gate, the others keys, values and sums."""
    H: tl.constexpr = D // C
    sample = tl.program_id(1).to(tl.int64)
    rows, cols = tl.arange(0, ROWS), tl.arange(0, D)
    whole, wide = tile(ROWS, D, D), tile(ROWS, D, 4 * D)
    kind = n_out.dtype.element_ty
    if FILM:
        film += sample * 2 * D
    g = tl.load(gain + cols)
    if tl.program_id(2) == 0:
        w_q, w_gate = load_matrix(qkv, D), load_matrix(gate, D)
        bias = tl.load(gate_bias + cols).to(tl.float32)
        for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
            first = sample * N + index * ROWS
            keep = (rows < N - index * ROWS)[:, None]
            x = tl.load(h + first * D + whole, mask=keep, other=0.0).to(tl.float32)
            n = normed(x, g, film, D, FILM, eps).to(kind)
            out = proj_out + first * (4 * D) + wide
            gated = tl.dot(x.to(kind), tl.trans(w_gate)) + bias[None, :]
            tl.store(out + 3 * D, gated.to(kind), mask=keep)
            tl.store(out, tl.dot(n, tl.trans(w_q)).to(kind), mask=keep)
    else:
        w_k, w_v = load_matrix(qkv + D * D, D), load_matrix(qkv + 2 * D * D, D)
        kv = tl.zeros((H, C, C), tl.float32)
        z = tl.zeros((H, C), tl.float32)
        for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
            first = sample * N + index * ROWS
            ok = rows < N - index * ROWS
            keep = ok[:, None]
            x = tl.load(h + first * D + whole, mask=keep, other=0.0).to(tl.float32)
            n = normed(x, g, film, D, FILM, eps).to(kind)
            tl.store(n_out + first * D + whole, n, mask=keep)
            out = proj_out + first * (4 * D) + wide
            k = tl.dot(n, tl.trans(w_k)).to(kind)
            tl.store(out + D, k, mask=keep)
            v = tl.dot(n, tl.trans(w_v)).to(kind)
            tl.store(out + 2 * D, v, mask=keep)
            if MASK:
                ok = ok & (tl.load(mask + first + rows, mask=ok, other=0) != 0)
            feature = tl.where(ok[:, None], phi(k.to(tl.float32)), 0.0).to(kind)
            feature = by_head(feature, C)
            kv = tl.dot(tl.permute(feature, (0, 2, 1)), by_head(v, C), kv)
            z += tl.sum(feature.to(tl.float32), axis=1)
        part = part_out + (sample * tl.num_programs(0) + tl.program_id(0)) * (C + 1) * D
        tl.store(part + state_tile(D, C), kv / N)
        tl.store(part + sums_tile(D, C), z / N)


@triton.jit
def state_backward(
    mask, proj, dproj, dstate, N,
    D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, MASK: tl.constexpr,
):  # fmt: skip
    """dk and dv from the state's gradient, into the columns of dproj that are theirs."""
    sample = tl.program_id(1).to(tl.int64)
    rows = tl.arange(0, ROWS)
    wide = tile(ROWS, D, 4 * D)
    kind = proj.dtype.element_ty
    dstate += sample * (C + 1) * D
    dkv = (tl.load(dstate + state_tile(D, C)) / N).to(kind)
    dz = tl.expand_dims(tl.load(dstate + sums_tile(D, C)) / N, 1)
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        first = sample * N + index * ROWS
        ok = rows < N - index * ROWS
        keep = ok[:, None]
        here = first * (4 * D) + wide
        k = tl.load(proj + here + D, mask=keep, other=0.0).to(tl.float32)
        v = tl.load(proj + here + 2 * D, mask=keep, other=0.0)
        if MASK:
            ok = ok & (tl.load(mask + first + rows, mask=ok, other=0) != 0)
        dfeature = tl.dot(by_head(v, C), tl.permute(dkv, (0, 2, 1))) + dz
        dk = side_by_side(dfeature.to(kind)).to(tl.float32) * phi_slope(k)
        tl.store(dproj + here + D, tl.where(ok[:, None], dk, 0.0).to(kind), mask=keep)
        feature = tl.where(ok[:, None], phi(k), 0.0).to(kind)
        dv = side_by_side(tl.dot(by_head(feature, C), dkv).to(kind))
        tl.store(dproj + here + 2 * D, dv, mask=keep)


class Project(torch.autograd.Function):
    """(h, n, proj, state); h is passed through so that its gradient is added in the kernel."""

    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        gain: Tensor,
        film: Tensor | None,  # (B, 2 D): scale and shift
        mask: Tensor | None,  # (B, N)
        qkv: Tensor,
        gate: Tensor,
        gate_bias: Tensor,
        heads: int,
        eps: float,
        narrow_qkv: Tensor,
        narrow_gate: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        B, N, D = h.shape
        C, kind = D // heads, narrow_qkv.dtype
        count = FORWARD.programs(N, B)
        n = h.new_empty(B, N, D, dtype=kind)
        proj = h.new_empty(B, N, 4 * D, dtype=kind)
        partials = h.new_empty(B, count, C + 1, D, dtype=torch.float32)
        sizes = {"D": D, "C": C, "MASK": mask is not None}
        project_forward[(count, B, 2)](
            h, gain, film, mask, narrow_qkv, narrow_gate, gate_bias, n, proj, partials, N, eps,
            **sizes, FILM=film is not None, **FORWARD.flags(D),
        )  # fmt: skip
        ctx.save_for_backward(h, gain, film, mask, narrow_qkv, narrow_gate, n, proj)
        ctx.eps, ctx.sizes = eps, sizes
        return h.view_as(h), n, proj, partials.sum(1)

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, dh_in: Tensor, dn: Tensor, dproj: Tensor, dstate: Tensor
    ) -> tuple[Tensor | None, ...]:
        h, gain, film, mask, qkv, gate, n, proj = ctx.saved_tensors
        B, N, D = h.shape
        dh_in, dn, dproj, dstate = (z.contiguous() for z in (dh_in, dn, dproj, dstate))
        state_backward[(BACKWARD.programs(N, B), B)](
            mask, proj, dproj, dstate, N, **ctx.sizes, **BACKWARD.flags(D)
        )
        dqkv, dgate = dproj[..., : 3 * D], dproj[..., 3 * D :]
        dn = torch.addmm(dn.view(-1, D), dqkv.flatten(0, 1), qkv).view_as(dn)
        dh, x, dgain, dfilm = norm_gradient(
            h, gain, film, ctx.eps, dh_in, dn=dn, side=dgate, side_weight=gate
        )
        dweight = weight_gradient(dqkv, n)
        dside, dbias = weight_gradient(dgate, x), bias_gradient(dgate)
        return dh, dgain, dfilm, None, dweight, dside, dbias, None, None, None, None
