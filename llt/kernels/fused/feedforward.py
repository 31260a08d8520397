"""The feed-forward half of a block in one pass: h + W_o (silu(W_g n) ⊙ W_u n), n = rms_norm(h).

Hidden units are taken some at a time, so that sums of three products need few registers, and
that a width as 85 fills them. Those beyond the last have zeros for weights.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.fused.norm import load_rms, norm_partials, normed, store_stream, through_norm
from llt.kernels.fused.tiles import Launch, half_sums, load_tile, sigmoid, store_tile

FORWARD = Launch(rows=64, warps=4, shared_by=2)
BACKWARD = Launch(rows=64, warps=4, shared_by=2)
UNITS = 32


@triton.jit
def _weights(gate_up, down, F: tl.constexpr, D: tl.constexpr, UNITS: tl.constexpr):
    """W_g, W_u (F, D) and W_o (D, F), some hidden units at a time; zeros where there are none."""
    gates, ups, downs = (), (), ()
    cols = tl.arange(0, D)
    for first in tl.static_range(0, F, UNITS):
        unit = first + tl.arange(0, UNITS)
        rows, keep = unit[:, None] * D + cols[None, :], (unit < F)[:, None]
        gate = tl.load(gate_up + rows, mask=keep, other=0.0)
        up = tl.load(gate_up + F * D + rows, mask=keep, other=0.0)
        out = tl.load(down + cols[:, None] * F + unit[None, :], mask=(unit < F)[None, :], other=0.0)
        gates = gates + (gate,)  # type: ignore[assignment]  # noqa: RUF005
        ups = ups + (up,)  # type: ignore[assignment]  # noqa: RUF005
        downs = downs + (out,)  # type: ignore[assignment]  # noqa: RUF005
    return gates, ups, downs


@triton.jit
def feedforward_forward(
    h, rms_in, gain, gate_up, down, out, rms_out, N, eps,
    D: tl.constexpr, F: tl.constexpr, UNITS: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    kind = down.dtype.element_ty
    h += sample * N * D
    rms_in += sample * N
    out += sample * N * D
    rms_out += sample * N
    w_gate, w_up, w_down = _weights(gate_up, down, F, D, UNITS)
    g = tl.load(gain + tl.arange(0, D))
    ahead = load_tile(h, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        x = ahead
        ahead = load_tile(h, index + step, N, ROWS, D, D)
        n = normed(x, load_rms(rms_in, index, N, ROWS), g, None, D, False, eps).to(kind)
        total = tl.zeros((ROWS, D), tl.float32)
        for i in tl.static_range(len(w_gate)):
            gate = tl.dot(n, tl.trans(w_gate[i]))
            up = tl.dot(n, tl.trans(w_up[i]))
            hidden = (gate * sigmoid(gate) * up).to(kind)
            total = tl.dot(hidden, tl.trans(w_down[i]), total)
        store_stream(out, rms_out, total + x.to(tl.float32), index, N, ROWS, D)


@triton.jit
def feedforward_backward(
    h, rms_in, gain, gate_up, down, dout, dh, hidden_out, dgate_up, part_out, N, eps,
    D: tl.constexpr, F: tl.constexpr, UNITS: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Gradient of h; for those of the weights what W_o multiplies, and the gradients of both
    products of n, divided by the rms of h."""
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    kind = down.dtype.element_ty
    h += sample * N * D
    rms_in += sample * N
    dout += sample * N * D
    dh += sample * N * D
    hidden_out += sample * N * D
    dgate_up += sample * N * 2 * D
    w_gate, w_up, w_down = _weights(gate_up, down, F, D, UNITS)
    g = tl.load(gain + tl.arange(0, D))
    dgain = tl.zeros((ROWS // 2, D), tl.float32)
    for index in range(first, tl.cdiv(N, ROWS), step):
        rms = load_rms(rms_in, index, N, ROWS)
        x = load_tile(h, index, N, ROWS, D, D)
        above = load_tile(dout, index, N, ROWS, D, D).to(kind)
        n = normed(x, rms, g, None, D, False, eps).to(kind)
        dn = tl.zeros((ROWS, D), tl.float32)
        for i in tl.static_range(len(w_gate)):
            gate = tl.dot(n, tl.trans(w_gate[i]))
            up = tl.dot(n, tl.trans(w_up[i]))
            soft = sigmoid(gate)
            store_tile(hidden_out + i * UNITS, gate * soft * up, index, N, ROWS, UNITS, D)
            dhidden = tl.dot(above, w_down[i]) * soft * (1 / (rms + eps))[:, None]
            dg = (dhidden * up * (1 + gate * (1 - soft))).to(kind)
            du = (dhidden * gate).to(kind)
            store_tile(dgate_up + i * UNITS, dg, index, N, ROWS, UNITS, 2 * D)
            store_tile(dgate_up + D + i * UNITS, du, index, N, ROWS, UNITS, 2 * D)
            dn = tl.dot(dg, w_gate[i], dn)
            dn = tl.dot(du, w_up[i], dn)
        # both tiles again, out of the nearest cache: meanwhile their registers were needed
        x = load_tile(h, index, N, ROWS, D, D).to(tl.float32)
        dgain += half_sums(dn * x)
        dx = through_norm(dn * g[None, :], x, rms, D, eps)
        dx += load_tile(dout, index, N, ROWS, D, D).to(tl.float32)
        store_tile(dh, dx, index, N, ROWS, D, D)
    tl.store(part_out + (sample * step + first) * D + tl.arange(0, D), tl.sum(dgain, axis=0))


def feed_forward(
    h: Tensor, rms: Tensor, gain: Tensor, gate_up: Tensor, down: Tensor, eps: float
) -> tuple[Tensor, Tensor]:
    """The new residual stream and its rms.

    The matrices (2 F, D) and (D, F) have the type of the products.
    """
    B, N, D = h.shape
    out, rms_out, launch = torch.empty_like(h), torch.empty_like(rms), FORWARD.at(D)
    feedforward_forward[(launch.programs(N, B), B)](
        h, rms, gain, gate_up, down, out, rms_out, N, eps,
        D=D, F=down.shape[1], UNITS=min(UNITS, D), **launch.flags,
    )  # fmt: skip
    return out, rms_out


def feed_forward_partials(h: Tensor, blocks: int) -> Tensor:
    return norm_partials(h, blocks, BACKWARD, 1)


def feed_forward_gradient(
    h: Tensor,
    rms: Tensor,
    gain: Tensor,
    gate_up: Tensor,
    down: Tensor,
    eps: float,
    dout: Tensor,
    partials: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradient of h; W_o's input; dgate and dup side by side, divided by the rms.

    The latter are (B, N, D) each, what is beyond the hidden width undefined.

    The gain's gradient goes into `partials`, see `feed_forward_partials`.
    """
    B, N, D = h.shape
    dh, hidden = torch.empty_like(h), h.new_empty(B, N, D, dtype=down.dtype)
    dgate_up = h.new_empty(B, N, 2 * D, dtype=down.dtype)
    feedforward_backward[(partials.shape[1], B)](
        h, rms, gain, gate_up, down, dout, dh, hidden, dgate_up, partials, N, eps,
        D=D, F=down.shape[1], UNITS=min(UNITS, D), **BACKWARD.at(D).flags,
    )  # fmt: skip
    return dh, hidden, dgate_up
