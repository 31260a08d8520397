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

from llt.kernels.fused.norm import norm_gradient, normed
from llt.kernels.fused.sums import weight_gradient
from llt.kernels.fused.tiles import Launch, load_rows, tile

FORWARD = Launch(rows=32, warps=4, shared_by=2)
BACKWARD = Launch(rows=32, warps=4, shared_by=2)


@triton.jit
def _weights(gate_up, down, F: tl.constexpr, D: tl.constexpr):
    """W_g, W_u (F, D) and W_o (D, F) as (D, D): zero where there is no hidden unit."""
    row, col = tl.arange(0, D)[:, None], tl.arange(0, D)[None, :]
    w_down = tl.load(down + row * F + col, mask=col < F, other=0.0)
    return load_rows(gate_up, F, D), load_rows(gate_up + F * D, F, D), w_down


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
        n = normed(x, g, None, D, False, eps).to(kind)
        gate = tl.dot(n, tl.trans(w_gate))
        up = tl.dot(n, tl.trans(w_up))
        middle = (gate * tl.sigmoid(gate) * up).to(kind)
        total = tl.dot(middle, tl.trans(w_down))
        # read again rather than kept: registers are dearer than the cache
        total += tl.load(h + at, mask=keep, other=0.0).to(tl.float32)
        tl.store(out + at, total, mask=keep)


@triton.jit
def feedforward_backward(
    h, gain, gate_up, down, dout, n_out, middle_out, above_out, dgate_up, N, eps,
    D: tl.constexpr, F: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Gradients of both products of n, and what the weights' gradients are made of."""
    whole, wide = tile(ROWS, D, D), tile(ROWS, D, 2 * D)
    kind = down.dtype.element_ty
    w_gate, w_up, w_down = _weights(gate_up, down, F, D)
    g = tl.load(gain + tl.arange(0, D))
    zero = tl.program_id(1).to(tl.int64)  # makes what it is added to 64 bits wide
    for index in range(tl.program_id(0), tl.cdiv(N, ROWS), tl.num_programs(0)):
        first = zero + index * ROWS
        at = first * D + whole
        keep = (tl.arange(0, ROWS) < N - index * ROWS)[:, None]
        x = tl.load(h + at, mask=keep, other=0.0).to(tl.float32)
        above = tl.load(dout + at, mask=keep, other=0.0).to(kind)
        n = normed(x, g, None, D, False, eps).to(kind)
        tl.store(n_out + at, n, mask=keep)
        tl.store(above_out + at, above, mask=keep)
        gate = tl.dot(n, tl.trans(w_gate))
        up = tl.dot(n, tl.trans(w_up))
        dmiddle = tl.dot(above, w_down)
        soft = tl.sigmoid(gate)
        tl.store(middle_out + at, (gate * soft * up).to(kind), mask=keep)
        here = dgate_up + first * (2 * D) + wide
        dgate = dmiddle * up * soft * (1 + gate * (1 - soft))
        tl.store(here, dgate.to(kind), mask=keep)
        tl.store(here + D, (dmiddle * gate * soft).to(kind), mask=keep)


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
        out = torch.empty_like(h)
        feedforward_forward[(FORWARD.programs(B * N),)](
            h, gain, narrow_gate_up, narrow_down, out, B * N, eps,
            D=D, F=down.shape[1], **FORWARD.flags(D),
        )  # fmt: skip
        ctx.save_for_backward(h, gain, narrow_gate_up, narrow_down)
        ctx.eps = eps
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        h, gain, gate_up, down = ctx.saved_tensors
        B, N, D = h.shape
        F = down.shape[1]
        dout = dout.contiguous()
        n, middle, above = (h.new_empty(B, N, D, dtype=down.dtype) for _ in range(3))
        dgate_up = h.new_empty(B, N, 2 * D, dtype=down.dtype)
        feedforward_backward[(BACKWARD.programs(B * N),)](
            h, gain, gate_up, down, dout, n, middle, above, dgate_up, B * N, ctx.eps,
            D=D, F=F, **BACKWARD.flags(D),
        )  # fmt: skip
        dh, _, dgain, _ = norm_gradient(
            h, gain, None, ctx.eps, dout, grads=dgate_up, weights=gate_up
        )
        dweight = weight_gradient(dgate_up, n).view(2, D, D)[:, :F].reshape(-1, D)
        return dh, dgain, dweight, weight_gradient(above, middle)[:, :F], None, None, None
