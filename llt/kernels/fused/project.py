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

from llt.kernels.fused.sums import bias_gradient, weight_gradient
from llt.kernels.fused.tiles import (
    block_diagonal,
    compact,
    load_matrix,
    norm_backward,
    phi,
    phi_slope,
    programs,
    tile,
    warps,
)

ROWS, STAGES = 32, 1


@triton.jit
def project_forward(
    h, gain, film, mask, qkv, gate, gate_bias, n_out, proj_out, inv_out, part_out, N, eps,
    D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, FILM: tl.constexpr,
    MASK: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    rows, cols = tl.arange(0, ROWS), tl.arange(0, D)
    whole, wide = tile(ROWS, D, D), tile(ROWS, D, 4 * D)
    kind = n_out.dtype.element_ty
    w_q, w_k = load_matrix(qkv, D), load_matrix(qkv + D * D, D)
    w_v, w_gate = load_matrix(qkv + 2 * D * D, D), load_matrix(gate, D)
    bias = tl.load(gate_bias + cols).to(tl.float32)
    g = tl.load(gain + cols)
    kv = tl.zeros((C, D), tl.float32)
    z = tl.zeros((D,), tl.float32)
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        first = sample * N + index * ROWS
        ok = rows < N - index * ROWS
        keep = ok[:, None]
        x = tl.load(h + first * D + whole, mask=keep, other=0.0).to(tl.float32)
        inv = 1 / (tl.sqrt(tl.sum(x * x, axis=1) / D) + eps)
        n = x * inv[:, None] * g[None, :]
        if FILM:
            scale = tl.load(film + sample * 2 * D + cols).to(tl.float32)
            shift = tl.load(film + sample * 2 * D + D + cols).to(tl.float32)
            n = n * (1 + scale[None, :]) + shift[None, :]
        n = n.to(kind)
        tl.store(n_out + first * D + whole, n, mask=keep)
        tl.store(inv_out + first + rows, inv, mask=ok)

        out = proj_out + first * (4 * D) + wide
        gated = tl.dot(x.to(kind), tl.trans(w_gate)) + bias[None, :]
        tl.store(out + 3 * D, gated.to(kind), mask=keep)
        q = tl.dot(n, tl.trans(w_q))
        tl.store(out, q.to(kind), mask=keep)
        k = tl.dot(n, tl.trans(w_k)).to(kind)
        tl.store(out + D, k, mask=keep)
        v = tl.dot(n, tl.trans(w_v)).to(kind)
        tl.store(out + 2 * D, v, mask=keep)

        counted = ok
        if MASK:
            counted = ok & (tl.load(mask + first + rows, mask=ok, other=0) != 0)
        feature = tl.where(counted[:, None], phi(k.to(tl.float32)), 0.0)
        kv += compact(tl.dot(tl.trans(feature.to(kind)), v), D, C)
        z += tl.sum(feature, axis=0)
    part = part_out + (sample * tl.num_programs(0) + tl.program_id(0)) * (C + 1) * D
    tl.store(part + tile(C, D, D), kv / N)
    tl.store(part + C * D + cols, z / N)


@triton.jit
def project_backward(
    h, gain, film, mask, qkv, gate, proj, inv_in, dn_in, dproj, dstate, dh_in, dh_out, x_out,
    part_out, N, eps,
    D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, FILM: tl.constexpr,
    MASK: tl.constexpr,
):  # fmt: skip
    """dk and dv from the state's gradient (stored into dproj), then all that reaches h."""
    sample = tl.program_id(1).to(tl.int64)
    rows, cols = tl.arange(0, ROWS), tl.arange(0, D)
    whole, wide = tile(ROWS, D, D), tile(ROWS, D, 4 * D)
    kind = proj.dtype.element_ty
    w_q, w_k = load_matrix(qkv, D), load_matrix(qkv + D * D, D)
    w_v, w_gate = load_matrix(qkv + 2 * D * D, D), load_matrix(gate, D)
    state = dstate + sample * (C + 1) * D
    full = (block_diagonal(state, D, C) / N).to(kind)
    dz = tl.load(state + C * D + cols) / N
    g = tl.load(gain + cols)
    dgain = tl.zeros((D,), tl.float32)
    dscale = tl.zeros((D,), tl.float32)
    dshift = tl.zeros((D,), tl.float32)
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        first = sample * N + index * ROWS
        ok = rows < N - index * ROWS
        keep = ok[:, None]
        counted = ok
        if MASK:
            counted = ok & (tl.load(mask + first + rows, mask=ok, other=0) != 0)
        here = first * (4 * D) + wide
        k = tl.load(proj + here + D, mask=keep, other=0.0).to(tl.float32)
        v = tl.load(proj + here + 2 * D, mask=keep, other=0.0)
        dk = tl.dot(v, tl.trans(full)) + dz[None, :]
        dk = tl.where(counted[:, None], dk * phi_slope(k), 0.0).to(kind)
        tl.store(dproj + here + D, dk, mask=keep)
        feature = tl.where(counted[:, None], phi(k), 0.0).to(kind)
        dv = tl.dot(feature, full).to(kind)
        tl.store(dproj + here + 2 * D, dv, mask=keep)
        dn = tl.dot(dk, w_k)
        dn = tl.dot(dv, w_v, dn)
        dq = tl.load(dproj + here, mask=keep, other=0.0)
        dn = tl.dot(dq, w_q, dn)
        dn += tl.load(dn_in + first * D + whole, mask=keep, other=0.0).to(tl.float32)

        x = tl.load(h + first * D + whole, mask=keep, other=0.0).to(tl.float32)
        tl.store(x_out + first * D + whole, x.to(kind), mask=keep)
        inv = tl.load(inv_in + first + rows, mask=ok, other=1.0)
        if FILM:
            scale = tl.load(film + sample * 2 * D + cols).to(tl.float32)
            dscale += tl.sum(dn * x * inv[:, None], axis=0) * g
            dshift += tl.sum(dn, axis=0)
            dn = dn * (1 + scale[None, :])
        dgain += tl.sum(dn * x * inv[:, None], axis=0)
        dh = norm_backward(dn, x, inv, g, D, eps)
        dgate = tl.load(dproj + here + 3 * D, mask=keep, other=0.0)
        dh = tl.dot(dgate, w_gate, dh)
        dh += tl.load(dh_in + first * D + whole, mask=keep, other=0.0).to(tl.float32)
        tl.store(dh_out + first * D + whole, dh, mask=keep)
    part = part_out + (sample * tl.num_programs(0) + tl.program_id(0)) * 3 * D + cols
    tl.store(part, dgain)
    tl.store(part + D, dscale)
    tl.store(part + 2 * D, dshift)


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
        count = programs(N, ROWS, B)
        n = h.new_empty(B, N, D, dtype=kind)
        proj = h.new_empty(B, N, 4 * D, dtype=kind)
        inv = h.new_empty(B, N, dtype=torch.float32)
        partials = h.new_empty(B, count, C + 1, D, dtype=torch.float32)
        flags = _flags(D, C, film, mask)
        project_forward[(count, B)](
            h, gain, film, mask, narrow_qkv, narrow_gate, gate_bias, n, proj, inv, partials, N, eps,
            **flags,
        )  # fmt: skip
        state = partials.sum(1)
        ctx.save_for_backward(h, gain, film, mask, narrow_qkv, narrow_gate, n, proj, inv)
        ctx.eps, ctx.flags = eps, flags
        return h.view_as(h), n, proj, state

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, dh_in: Tensor, dn: Tensor, dproj: Tensor, dstate: Tensor
    ) -> tuple[Tensor | None, ...]:
        h, gain, film, mask, qkv, gate, n, proj, inv = ctx.saved_tensors
        B, N, D = h.shape
        count = programs(N, ROWS, B)
        dh_in, dn, dproj, dstate = (z.contiguous() for z in (dh_in, dn, dproj, dstate))
        dh, x = torch.empty_like(h), torch.empty_like(n)
        partials = h.new_empty(B, count, 3, D, dtype=torch.float32)
        project_backward[(count, B)](
            h, gain, film, mask, qkv, gate, proj, inv, dn, dproj, dstate, dh_in, dh, x, partials,
            N, ctx.eps, **ctx.flags,
        )  # fmt: skip
        sums = partials.sum(1)  # (B, 3, D)
        dfilm = None if film is None else sums[:, 1:].flatten(1).to(film.dtype)
        dqkv = weight_gradient(dproj[..., : 3 * D], n)
        dgate = weight_gradient(dproj[..., 3 * D :], x)
        dbias = bias_gradient(dproj[..., 3 * D :])
        return dh, sums[:, 0].sum(0), dfilm, None, dqkv, dgate, dbias, None, None, None, None


def _flags(D: int, C: int, film: Tensor | None, mask: Tensor | None) -> dict[str, object]:
    return {
        "D": D, "C": C, "ROWS": ROWS,
        "FILM": film is not None, "MASK": mask is not None,
        "num_warps": warps(D), "num_stages": STAGES,
    }  # fmt: skip
