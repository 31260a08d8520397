"""The feed-forward half of a block in one pass: h + W_o (silu(W_g n) ⊙ W_u n), n = rms_norm(h).

The hidden width is padded to D inside: zero rows of W_g and W_u give zeros, which W_o ignores.
Only blocks of W channels that hold hidden units are computed; what the others of a stored array
hold is never looked at.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.tiles import (
    add_partials,
    dot_precision,
    norm_backward,
    num_tiles,
    tile,
    warps,
)
from llt.kernels.fused.weight_gradient import weight_gradients

ROWS, WIDTH, STAGES = 64, 32, 1


@triton.jit
def _normed(h, gain, whole, keep, D: tl.constexpr, eps):
    x = tl.load(h + whole, mask=keep, other=0.0).to(tl.float32)
    inv = 1 / (tl.sqrt(tl.sum(x * x, axis=1) / D) + eps)
    return x, inv, x * inv[:, None] * tl.load(gain + tl.arange(0, D))[None, :]


@triton.jit
def _forward(
    h, gain, gate_up, down, out, N, eps, hidden,
    D: tl.constexpr, W: tl.constexpr, ROWS: tl.constexpr, DOT: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(0).to(tl.int64) * ROWS
    keep = (tl.arange(0, ROWS) < N - first)[:, None]
    whole = tile(ROWS, D, D)
    kind = down.dtype.element_ty
    total, _, n = _normed(h + first * D, gain, whole, keep, D, eps)
    n = n.to(kind)
    for channel in range(0, hidden, W):
        weight = gate_up + channel * D + tile(W, D, D)
        gate = tl.dot(n, tl.trans(tl.load(weight)), input_precision=DOT)
        up = tl.dot(n, tl.trans(tl.load(weight + D * D)), input_precision=DOT)
        middle = (gate * tl.sigmoid(gate) * up).to(kind)
        part = tl.load(down + channel + tile(D, W, D))
        total = tl.dot(middle, tl.trans(part), total, input_precision=DOT)
    tl.store(out + first * D + whole, total, mask=keep)


@triton.jit
def _backward(
    h, gain, gate_up, down, dout, dh, n_out, middle_out, dgate_up, part_out, N, eps, hidden,
    D: tl.constexpr, W: tl.constexpr, ROWS: tl.constexpr, DOT: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(0).to(tl.int64) * ROWS
    cols = tl.arange(0, D)
    keep = (tl.arange(0, ROWS) < N - first)[:, None]
    whole = tile(ROWS, D, D)
    kind = down.dtype.element_ty
    x, inv, n = _normed(h + first * D, gain, whole, keep, D, eps)
    n = n.to(kind)
    tl.store(n_out + first * D + whole, n, mask=keep)
    above = tl.load(dout + first * D + whole, mask=keep, other=0.0).to(kind)
    dn = tl.zeros((ROWS, D), tl.float32)
    for channel in range(0, hidden, W):
        weight = gate_up + channel * D + tile(W, D, D)
        gate = tl.dot(n, tl.trans(tl.load(weight)), input_precision=DOT)
        up = tl.dot(n, tl.trans(tl.load(weight + D * D)), input_precision=DOT)
        soft = tl.sigmoid(gate)
        at = first * D + channel + tile(ROWS, W, D)
        tl.store(middle_out + at, (gate * soft * up).to(kind), mask=keep)
        dmiddle = tl.dot(above, tl.load(down + channel + tile(D, W, D)), input_precision=DOT)
        dgate = (dmiddle * up * soft * (1 + gate * (1 - soft))).to(kind)
        dup = (dmiddle * gate * soft).to(kind)
        here = dgate_up + first * (2 * D) + channel + tile(ROWS, W, 2 * D)
        tl.store(here, dgate, mask=keep)
        tl.store(here + D, dup, mask=keep)
        dn = tl.dot(dgate, tl.load(weight), dn, input_precision=DOT)
        dn = tl.dot(dup, tl.load(weight + D * D), dn, input_precision=DOT)
    # read again rather than kept: registers are dearer than the cache
    x, inv, _ = _normed(h + first * D, gain, whole, keep, D, eps)
    tl.store(part_out + tl.program_id(0) * D + cols, tl.sum(dn * x * inv[:, None], axis=0))
    dx = norm_backward(dn, x, inv, tl.load(gain + cols), D, eps)
    dx += tl.load(dout + first * D + whole, mask=keep, other=0.0).to(tl.float32)
    tl.store(dh + first * D + whole, dx, mask=keep)


class FeedForward(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        gain: Tensor,
        gate_up: Tensor,  # (2 F, D)
        down: Tensor,  # (D, F)
        eps: float,
        kind: torch.dtype,
    ) -> Tensor:
        B, N, D = h.shape
        gap = D - down.shape[1]
        gate_up_ = F.pad(gate_up.to(kind).view(2, -1, D), (0, 0, 0, gap)).view(-1, D)
        down_ = F.pad(down.to(kind), (0, gap))
        flags = {
            "D": D, "W": min(D, WIDTH), "ROWS": ROWS, "DOT": dot_precision(kind),
            "num_warps": warps(D), "num_stages": STAGES,
        }  # fmt: skip
        out = torch.empty_like(h)
        _forward[(num_tiles(B * N, ROWS),)](
            h, gain, gate_up_, down_, out, B * N, eps, down.shape[1], **flags
        )
        ctx.save_for_backward(h, gain, gate_up_, down_)
        ctx.eps, ctx.flags, ctx.hidden = eps, flags, down.shape[1]
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        h, gain, gate_up, down = ctx.saved_tensors
        B, N, D = h.shape
        dout = dout.contiguous()
        programs = num_tiles(B * N, ROWS)
        dh = torch.empty_like(h)
        n, hidden = (h.new_empty(B, N, D, dtype=down.dtype) for _ in range(2))
        dgate_up = h.new_empty(B, N, 2 * D, dtype=down.dtype)
        partials = h.new_empty(programs, D, dtype=torch.float32)
        _backward[(programs,)](
            h, gain, gate_up, down, dout, dh, n, hidden, dgate_up, partials,
            B * N, ctx.eps, ctx.hidden, **ctx.flags,
        )  # fmt: skip
        width = ctx.hidden
        (dgate, dup, ddown), _ = weight_gradients(
            [(dgate_up, 0, n), (dgate_up, D, n), (dout, 0, hidden)], D
        )
        dweight = torch.cat((dgate[:width], dup[:width]))
        return dh, add_partials(partials), dweight, ddown[:, :width], None, None
