"""The feed-forward half of a block in one pass: h + W_o (silu(W_g n) ⊙ W_u n), n = rms_norm(h).

The hidden width is padded to D inside: zero rows of W_g and W_u give zeros, which W_o ignores.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.norm.triton import inverse_rms, norm_gradient
from llt.kernels.triton_tiles import Launch, load_matrix, load_tile, sigmoid, store_tile

FORWARD = Launch(rows=64, warps=4, shared_by=2)
BACKWARD = Launch(rows=64, warps=8, shared_by=1)


@triton.jit
def _weights(gate_up, down, F: tl.constexpr, D: tl.constexpr):
    """W_g, W_u (F, D) and W_o (D, F) as (D, D): zero where there is no hidden unit."""
    row, col = tl.arange(0, D)[:, None], tl.arange(0, D)[None, :]
    w_down = tl.load(down + row * F + col, mask=col < F, other=0.0)
    return load_matrix(gate_up, F, D), load_matrix(gate_up + F * D, F, D), w_down


@triton.jit
def feedforward_forward(
    h, gain, gate_up, down, out, N, eps,
    D: tl.constexpr, F: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    kind = down.dtype.element_ty
    h += sample * N * D
    out += sample * N * D
    w_gate, w_up, w_down = _weights(gate_up, down, F, D)
    g = tl.load(gain + tl.arange(0, D))
    ahead = load_tile(h, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        x = ahead.to(tl.float32)
        ahead = load_tile(h, index + step, N, ROWS, D, D)
        n = (x * inverse_rms(x, D, eps)[:, None] * g[None, :]).to(kind)
        gate = tl.dot(n, tl.trans(w_gate))
        up = tl.dot(n, tl.trans(w_up))
        middle = (gate * sigmoid(gate) * up).to(kind)
        store_tile(out, tl.dot(middle, tl.trans(w_down)) + x, index, N, ROWS, D, D)


@triton.jit
def feedforward_backward(
    h, gain, gate_up, down, dout, middle_out, dgate_up, N, eps,
    D: tl.constexpr, F: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Gradients of both products of n, divided by the rms of h; and what W_o multiplies."""
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    kind = down.dtype.element_ty
    h += sample * N * D
    dout += sample * N * D
    middle_out += sample * N * D
    dgate_up += sample * N * 2 * D
    w_gate, w_up, w_down = _weights(gate_up, down, F, D)
    g = tl.load(gain + tl.arange(0, D))
    next_x = load_tile(h, first, N, ROWS, D, D)
    next_up = load_tile(dout, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        x, above = next_x.to(tl.float32), next_up.to(kind)
        next_x = load_tile(h, index + step, N, ROWS, D, D)
        next_up = load_tile(dout, index + step, N, ROWS, D, D)
        inv = inverse_rms(x, D, eps)
        n = (x * inv[:, None] * g[None, :]).to(kind)
        gate = tl.dot(n, tl.trans(w_gate))
        up = tl.dot(n, tl.trans(w_up))
        soft = sigmoid(gate)
        store_tile(middle_out, gate * soft * up, index, N, ROWS, D, D)
        dmiddle = tl.dot(above, w_down) * soft * inv[:, None]
        dgate = dmiddle * up * (1 + gate * (1 - soft))
        store_tile(dgate_up, dgate, index, N, ROWS, D, 2 * D)
        store_tile(dgate_up + D, dmiddle * gate, index, N, ROWS, D, 2 * D)


def feed_forward(h: Tensor, gain: Tensor, gate_up: Tensor, down: Tensor, eps: float) -> Tensor:
    """The matrices (2 F, D) and (D, F) have the type of the products."""
    B, N, D = h.shape
    out, launch = torch.empty_like(h), FORWARD.at(D)
    feedforward_forward[(launch.programs(N, B), B)](
        h, gain, gate_up, down, out, N, eps, D=D, F=down.shape[1], **launch.flags
    )
    return out


def feed_forward_gradient(
    h: Tensor,
    gain: Tensor,
    gate_up: Tensor,
    down: Tensor,
    eps: float,
    dout: Tensor,
    partials: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradient of h; W_o's input; dgate and dup side by side, divided by the rms.

    The gain's gradient goes into `partials`, see `norm_partials`.
    """
    B, N, D = h.shape
    middle = h.new_empty(B, N, D, dtype=down.dtype)
    dgate_up = h.new_empty(B, N, 2 * D, dtype=down.dtype)
    launch = BACKWARD.at(D)
    feedforward_backward[(launch.programs(N, B), B)](
        h, gain, gate_up, down, dout, middle, dgate_up, N, eps,
        D=D, F=down.shape[1], **launch.flags,
    )  # fmt: skip
    dgate, dup = dgate_up.chunk(2, -1)
    dh = norm_gradient(
        h, gain, None, eps, dgate, dup, gate_up, dout, partials, pair=True, divided=True
    )
    return dh, middle, dgate_up
