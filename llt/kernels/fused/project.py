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

from llt.kernels.fused.tiles import (
    add_partials,
    block_diagonal,
    block_width,
    compact,
    dot_precision,
    norm_backward,
    num_tiles,
    phi,
    phi_slope,
    tile,
    warps,
)
from llt.kernels.fused.weight_gradient import weight_gradients

ROWS, STAGES = 64, 1


@triton.jit
def _forward(
    h, gain, film, mask, qkv, gate, gate_bias, n_out, proj_out, inv_out, part_out, N, eps,
    D: tl.constexpr, C: tl.constexpr, W: tl.constexpr, ROWS: tl.constexpr, FILM: tl.constexpr,
    MASK: tl.constexpr, DOT: tl.constexpr,
):  # fmt: skip
    program, sample = tl.program_id(0), tl.program_id(1).to(tl.int64)
    first = sample * N + program * ROWS
    rows, cols, block = tl.arange(0, ROWS), tl.arange(0, D), tl.arange(0, W)
    ok = rows < N - program * ROWS
    keep = ok[:, None]
    kind = n_out.dtype.element_ty
    whole = tile(ROWS, D, D)
    x = tl.load(h + first * D + whole, mask=keep, other=0.0).to(tl.float32)
    inv = 1 / (tl.sqrt(tl.sum(x * x, axis=1) / D) + eps)
    n = x * inv[:, None] * tl.load(gain + cols)[None, :]
    if FILM:
        scale = tl.load(film + sample * 2 * D + cols).to(tl.float32)
        shift = tl.load(film + sample * 2 * D + D + cols).to(tl.float32)
        n = n * (1 + scale[None, :]) + shift[None, :]
    n, x = n.to(kind), x.to(kind)
    tl.store(n_out + first * D + whole, n, mask=keep)
    tl.store(inv_out + first + rows, inv, mask=ok)
    counted = ok
    if MASK:
        counted = ok & (tl.load(mask + first + rows, mask=ok, other=0) != 0)

    part = part_out + (sample * tl.num_programs(0) + program) * (C + 1) * D
    for channel in range(0, D, W):
        weight = qkv + channel * D + tile(W, D, D)
        out = proj_out + first * (4 * D) + channel + tile(ROWS, W, 4 * D)
        q = tl.dot(n, tl.trans(tl.load(weight)), input_precision=DOT)
        tl.store(out, q.to(kind), mask=keep)
        k = tl.dot(n, tl.trans(tl.load(weight + D * D)), input_precision=DOT).to(kind)
        tl.store(out + D, k, mask=keep)
        v = tl.dot(n, tl.trans(tl.load(weight + 2 * D * D)), input_precision=DOT).to(kind)
        tl.store(out + 2 * D, v, mask=keep)
        feature = tl.where(counted[:, None], phi(k.to(tl.float32)), 0.0)
        kv = compact(tl.dot(tl.trans(feature.to(kind)), v, input_precision=DOT), W, C)
        tl.store(part + channel + tile(C, W, D), kv / N)
        tl.store(part + C * D + channel + block, tl.sum(feature, axis=0) / N)
        weight = gate + channel * D + tile(W, D, D)
        gated = tl.dot(x, tl.trans(tl.load(weight)), input_precision=DOT)
        gated += tl.load(gate_bias + channel + block).to(tl.float32)[None, :]
        tl.store(out + 3 * D, gated.to(kind), mask=keep)


@triton.jit
def _backward(
    h, gain, film, mask, qkv, gate, proj, inv_in, dn_in, dproj, dstate, dh_in, dh_out, part_out,
    N, eps,
    D: tl.constexpr, C: tl.constexpr, W: tl.constexpr, ROWS: tl.constexpr, FILM: tl.constexpr,
    MASK: tl.constexpr, DOT: tl.constexpr,
):  # fmt: skip
    """dk and dv from the state's gradient (stored into dproj), then all that reaches h."""
    program, sample = tl.program_id(0), tl.program_id(1).to(tl.int64)
    first = sample * N + program * ROWS
    rows, cols, block = tl.arange(0, ROWS), tl.arange(0, D), tl.arange(0, W)
    ok = rows < N - program * ROWS
    keep = ok[:, None]
    kind = proj.dtype.element_ty
    counted = ok
    if MASK:
        counted = ok & (tl.load(mask + first + rows, mask=ok, other=0) != 0)
    whole = tile(ROWS, D, D)
    state = dstate + sample * (C + 1) * D

    dn = tl.load(dn_in + first * D + whole, mask=keep, other=0.0).to(tl.float32)
    dh = tl.load(dh_in + first * D + whole, mask=keep, other=0.0).to(tl.float32)
    for channel in range(0, D, W):
        here = first * (4 * D) + channel + tile(ROWS, W, 4 * D)
        k = tl.load(proj + here + D, mask=keep, other=0.0).to(tl.float32)
        v = tl.load(proj + here + 2 * D, mask=keep, other=0.0)
        full = (block_diagonal(state + channel, D, W, C) / N).to(kind)
        dz = tl.load(state + C * D + channel + block) / N
        dk = tl.dot(v, tl.trans(full), input_precision=DOT) + dz[None, :]
        dk = tl.where(counted[:, None], dk * phi_slope(k), 0.0).to(kind)
        tl.store(dproj + here + D, dk, mask=keep)
        feature = tl.where(counted[:, None], phi(k), 0.0).to(kind)
        dv = tl.dot(feature, full, input_precision=DOT).to(kind)
        tl.store(dproj + here + 2 * D, dv, mask=keep)
        weight = qkv + channel * D + tile(W, D, D)
        dn = tl.dot(dk, tl.load(weight + D * D), dn, input_precision=DOT)
        dn = tl.dot(dv, tl.load(weight + 2 * D * D), dn, input_precision=DOT)
        dq = tl.load(dproj + here, mask=keep, other=0.0)
        dn = tl.dot(dq, tl.load(weight), dn, input_precision=DOT)
        dgate = tl.load(dproj + here + 3 * D, mask=keep, other=0.0)
        weight = gate + channel * D + tile(W, D, D)
        dh = tl.dot(dgate, tl.load(weight), dh, input_precision=DOT)

    x = tl.load(h + first * D + whole, mask=keep, other=0.0).to(tl.float32)
    inv = tl.load(inv_in + first + rows, mask=ok, other=1.0)
    g = tl.load(gain + cols)
    part = part_out + (sample * tl.num_programs(0) + program) * 3 * D + cols
    if FILM:
        scale = tl.load(film + sample * 2 * D + cols).to(tl.float32)
        tl.store(part + D, tl.sum(dn * x * inv[:, None] * g[None, :], axis=0))
        tl.store(part + 2 * D, tl.sum(dn, axis=0))
        dn = dn * (1 + scale[None, :])
    tl.store(part, tl.sum(dn * x * inv[:, None], axis=0))
    dh += norm_backward(dn, x, inv, g, D, eps)
    tl.store(dh_out + first * D + whole, dh, mask=keep)


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
        kind: torch.dtype,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        B, N, D = h.shape
        C = D // heads
        programs = num_tiles(N, ROWS)
        n = h.new_empty(B, N, D, dtype=kind)
        proj = h.new_empty(B, N, 4 * D, dtype=kind)
        inv = h.new_empty(B, N, dtype=torch.float32)
        partials = h.new_empty(B, programs, C + 1, D, dtype=torch.float32)
        qkv_, gate_ = qkv.to(kind), gate.to(kind)
        flags = _flags(D, C, film, mask, kind)
        _forward[(programs, B)](
            h, gain, film, mask, qkv_, gate_, gate_bias, n, proj, inv, partials, N, eps,
            **flags,
        )  # fmt: skip
        state = add_partials(partials, 1)
        ctx.save_for_backward(h, gain, film, mask, qkv_, gate_, n, proj, inv)
        ctx.eps, ctx.flags = eps, flags
        return h.view_as(h), n, proj, state

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, dh_in: Tensor, dn: Tensor, dproj: Tensor, dstate: Tensor
    ) -> tuple[Tensor | None, ...]:
        h, gain, film, mask, qkv, gate, n, proj, inv = ctx.saved_tensors
        B, N, D = h.shape
        programs = num_tiles(N, ROWS)
        dh = torch.empty_like(h)
        partials = h.new_empty(B, programs, 3, D, dtype=torch.float32)
        _backward[(programs, B)](
            h, gain, film, mask, qkv, gate, proj, inv, dn, dproj, dstate, dh_in, dh, partials,
            N, ctx.eps, **ctx.flags,
        )  # fmt: skip
        sums = add_partials(partials, 1)  # (B, 3, D)
        dfilm = None if film is None else sums[:, 1:].flatten(1).to(film.dtype)
        (dq, dk, dv, dgate), bias = weight_gradients(
            [(dproj, 0, n), (dproj, D, n), (dproj, 2 * D, n), (dproj, 3 * D, h)], D
        )
        dqkv = torch.cat((dq, dk, dv))
        return dh, sums[:, 0].sum(0), dfilm, None, dqkv, dgate, bias[3], None, None, None


def _flags(
    D: int, C: int, film: Tensor | None, mask: Tensor | None, kind: torch.dtype
) -> dict[str, object]:
    return {
        "D": D, "C": C, "W": block_width(D, D // C), "ROWS": ROWS,
        "FILM": film is not None, "MASK": mask is not None, "DOT": dot_precision(kind),
        "num_warps": warps(D), "num_stages": STAGES,
    }  # fmt: skip
