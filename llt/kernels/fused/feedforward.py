"""The feed-forward half of a block in one pass: h + W_o (silu(W_g n) ⊙ W_u n), n = rms_norm(h).

The hidden width is padded to D inside: zero rows of W_g and W_u give zeros, which W_o ignores.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.sums import weight_gradient
from llt.kernels.fused.tiles import (
    norm_backward,
    programs,
    tile,
    warps,
)

ROWS, STAGES = 32, 1


@triton.jit
def _weights(gate_up, down, F: tl.constexpr, D: tl.constexpr):
    """W_g, W_u (F, D) and W_o (D, F) as (D, D): zero where there is no hidden unit."""
    row, col = tl.arange(0, D)[:, None], tl.arange(0, D)[None, :]
    gate = tl.load(gate_up + row * D + col, mask=row < F, other=0.0)
    up = tl.load(gate_up + (F + row) * D + col, mask=row < F, other=0.0)
    return gate, up, tl.load(down + row * F + col, mask=col < F, other=0.0)


@triton.jit
def feedforward_forward(
    h, gain, gate_up, down, out, N, eps,
    D: tl.constexpr, F: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    whole = tile(ROWS, D, D)
    kind = down.dtype.element_ty
    w_gate, w_up, w_down = _weights(gate_up, down, F, D)
    g = tl.load(gain + tl.arange(0, D))
    zero = tl.program_id(1).to(tl.int64)  # makes what it is added to 64 bits wide
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        at = (zero + index * ROWS) * D + whole
        keep = (tl.arange(0, ROWS) < N - index * ROWS)[:, None]
        x = tl.load(h + at, mask=keep, other=0.0).to(tl.float32)
        inv = 1 / (tl.sqrt(tl.sum(x * x, axis=1) / D) + eps)
        n = (x * inv[:, None] * g[None, :]).to(kind)
        gate = tl.dot(n, tl.trans(w_gate))
        up = tl.dot(n, tl.trans(w_up))
        middle = (gate * tl.sigmoid(gate) * up).to(kind)
        total = tl.dot(middle, tl.trans(w_down))
        # read again rather than kept: registers are dearer than the cache
        total += tl.load(h + at, mask=keep, other=0.0).to(tl.float32)
        tl.store(out + at, total, mask=keep)


@triton.jit
def feedforward_backward(
    h, gain, gate_up, down, dout, dh, n_out, middle_out, above_out, dgate_up, part_out,
    N, eps,
    D: tl.constexpr, F: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    cols = tl.arange(0, D)
    whole, wide = tile(ROWS, D, D), tile(ROWS, D, 2 * D)
    kind = down.dtype.element_ty
    w_gate, w_up, w_down = _weights(gate_up, down, F, D)
    g = tl.load(gain + cols)
    dgain = tl.zeros((D,), tl.float32)
    zero = tl.program_id(1).to(tl.int64)  # makes what it is added to 64 bits wide
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        first = zero + index * ROWS
        at = first * D + whole
        keep = (tl.arange(0, ROWS) < N - index * ROWS)[:, None]
        x = tl.load(h + at, mask=keep, other=0.0).to(tl.float32)
        inv = 1 / (tl.sqrt(tl.sum(x * x, axis=1) / D) + eps)
        n = (x * inv[:, None] * g[None, :]).to(kind)
        tl.store(n_out + at, n, mask=keep)
        gate = tl.dot(n, tl.trans(w_gate))
        up = tl.dot(n, tl.trans(w_up))
        soft = tl.sigmoid(gate)
        tl.store(middle_out + at, (gate * soft * up).to(kind), mask=keep)
        above = tl.load(dout + at, mask=keep, other=0.0).to(kind)
        tl.store(above_out + at, above, mask=keep)
        dmiddle = tl.dot(above, w_down)
        dup = (dmiddle * gate * soft).to(kind)
        dgate = (dmiddle * up * soft * (1 + gate * (1 - soft))).to(kind)
        here = dgate_up + first * (2 * D) + wide
        tl.store(here, dgate, mask=keep)
        tl.store(here + D, dup, mask=keep)
        dn = tl.dot(dgate, w_gate)
        dn = tl.dot(dup, w_up, dn)
        # read again rather than kept: registers are dearer than the cache
        x = tl.load(h + at, mask=keep, other=0.0).to(tl.float32)
        dgain += tl.sum(dn * x * inv[:, None], axis=0)
        dx = norm_backward(dn, x, inv, g, D, eps)
        dx += tl.load(dout + at, mask=keep, other=0.0).to(tl.float32)
        tl.store(dh + at, dx, mask=keep)
    tl.store(part_out + tl.program_id(0) * D + cols, dgain)


class FeedForward(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        gain: Tensor,
        gate_up: Tensor,  # (2 F, D)
        down: Tensor,  # (D, F)
        eps: float,
        narrow_gate_up: Tensor,
        narrow_down: Tensor,
    ) -> Tensor:
        B, N, D = h.shape
        flags = {
            "D": D, "F": down.shape[1], "ROWS": ROWS,
            "num_warps": warps(D), "num_stages": STAGES,
        }  # fmt: skip
        out = torch.empty_like(h)
        feedforward_forward[(programs(B * N, ROWS),)](
            h, gain, narrow_gate_up, narrow_down, out, B * N, eps, **flags
        )
        ctx.save_for_backward(h, gain, narrow_gate_up, narrow_down)
        ctx.eps, ctx.flags = eps, flags
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        h, gain, gate_up, down = ctx.saved_tensors
        B, N, D = h.shape
        dout = dout.contiguous()
        count = programs(B * N, ROWS)
        dh = torch.empty_like(h)
        n, middle, above = (h.new_empty(B, N, D, dtype=down.dtype) for _ in range(3))
        dgate_up = h.new_empty(B, N, 2 * D, dtype=down.dtype)
        partials = h.new_empty(count, D, dtype=torch.float32)
        feedforward_backward[(count,)](
            h, gain, gate_up, down, dout, dh, n, middle, above, dgate_up, partials,
            B * N, ctx.eps, **ctx.flags,
        )  # fmt: skip
        dweight = weight_gradient(dgate_up, n).view(2, D, D)[:, : down.shape[1]].reshape(-1, D)
        ddown = weight_gradient(above, middle)[:, : down.shape[1]]
        return dh, partials.sum(0), dweight, ddown, None, None, None
