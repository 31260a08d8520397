"""The feed-forward half of a block in one pass: h + W_o (silu(W_g n) ⊙ W_u n), n = rms_norm(h).

The hidden width is padded to D inside: zero rows of W_g and W_u give zeros, which W_o ignores.
Where shared memory is too small for three matrices of (D, D), the hidden units come in parts of 32,
so that F of them take little more than their own room.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.limits import KILOBYTE, PART, limits
from llt.kernels.norm.triton import inverse_rms, norm_gradient
from llt.kernels.triton_tiles import Launch, load_tile, sigmoid, store_tile

FORWARD = Launch(rows=64, warps=4, shared_by=2)
BACKWARD = Launch(rows=64, warps=8, shared_by=1)
SMALL = Launch(rows=64, warps=8, shared_by=1, kilobytes=116)  # both, without Hopper's products


@triton.jit
def _rows(weight, first, F: tl.constexpr, D: tl.constexpr, PART: tl.constexpr):
    """PART of the F rows of a matrix, zeros below them."""
    row, col = first + tl.arange(0, PART)[:, None], tl.arange(0, D)[None, :]
    return tl.load(weight + row * D + col, mask=row < F, other=0.0)


@triton.jit
def _weights(gate_up, down, F: tl.constexpr, D: tl.constexpr, PART: tl.constexpr):
    """W_g, W_u (F, D) and W_o (D, F), PART hidden units of each after the other: a tuple."""
    row, col = tl.arange(0, D)[:, None], tl.arange(0, PART)[None, :]
    weights = ()
    for first in tl.static_range(0, F, PART):
        w_down = tl.load(down + row * F + first + col, mask=first + col < F, other=0.0)
        w_gate = _rows(gate_up, first, F, D, PART)
        w_up = _rows(gate_up + F * D, first, F, D, PART)
        weights = weights + (w_gate, w_up, w_down)  # type: ignore[assignment]  # noqa: RUF005
    return weights


@triton.jit
def feedforward_forward(
    h, gain, gate_up, down, out, N, eps,
    D: tl.constexpr, F: tl.constexpr, PART: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    dtype = down.dtype.element_ty
    h += sample * N * D
    out += sample * N * D
    PARTS: tl.constexpr = (F + PART - 1) // PART  # tl.cdiv is no constant to Triton 3.6
    weights = _weights(gate_up, down, F, D, PART)
    g = tl.load(gain + tl.arange(0, D))
    ahead = load_tile(h, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        x = ahead.to(tl.float32)
        ahead = load_tile(h, index + step, N, ROWS, D, D)
        n = (x * inverse_rms(x, D, eps)[:, None] * g[None, :]).to(dtype)
        total = tl.zeros((ROWS, D), tl.float32)
        for part in tl.static_range(PARTS):
            gate = tl.dot(n, tl.trans(weights[3 * part]))
            up = tl.dot(n, tl.trans(weights[3 * part + 1]))
            middle = (gate * sigmoid(gate) * up).to(dtype)
            total = tl.dot(middle, tl.trans(weights[3 * part + 2]), total)
        store_tile(out, total + x, index, N, ROWS, D, D)


@triton.jit
def feedforward_backward(
    h, gain, gate_up, down, dout, middle_out, dgate_up, N, eps,
    D: tl.constexpr, F: tl.constexpr, PART: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Gradients of both products of n, divided by the rms of h; and what W_o multiplies."""
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    dtype = down.dtype.element_ty
    h += sample * N * D
    dout += sample * N * D
    middle_out += sample * N * D
    dgate_up += sample * N * 2 * D
    PARTS: tl.constexpr = (F + PART - 1) // PART  # tl.cdiv is no constant to Triton 3.6
    weights = _weights(gate_up, down, F, D, PART)
    g = tl.load(gain + tl.arange(0, D))
    next_x = load_tile(h, first, N, ROWS, D, D)
    next_up = load_tile(dout, first, N, ROWS, D, D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        x, above = next_x.to(tl.float32), next_up.to(dtype)
        next_x = load_tile(h, index + step, N, ROWS, D, D)
        next_up = load_tile(dout, index + step, N, ROWS, D, D)
        inv = inverse_rms(x, D, eps)
        n = (x * inv[:, None] * g[None, :]).to(dtype)
        for part in tl.static_range(PARTS):
            gate = tl.dot(n, tl.trans(weights[3 * part]))
            up = tl.dot(n, tl.trans(weights[3 * part + 1]))
            soft = sigmoid(gate)
            store_tile(middle_out + part * PART, gate * soft * up, index, N, ROWS, PART, D)
            dmiddle = tl.dot(above, weights[3 * part + 2]) * soft * inv[:, None]
            dgate = dmiddle * up * (1 + gate * (1 - soft))
            store_tile(dgate_up + part * PART, dgate, index, N, ROWS, PART, 2 * D)
            store_tile(dgate_up + D + part * PART, dmiddle * gate, index, N, ROWS, PART, 2 * D)
        none = tl.zeros((ROWS, PART), tl.float32)
        for part in tl.static_range(PARTS, D // PART):
            store_tile(middle_out + part * PART, none, index, N, ROWS, PART, D)
            store_tile(dgate_up + part * PART, none, index, N, ROWS, PART, 2 * D)
            store_tile(dgate_up + D + part * PART, none, index, N, ROWS, PART, 2 * D)


def feed_forward(h: Tensor, gain: Tensor, gate_up: Tensor, down: Tensor, eps: float) -> Tensor:
    """The matrices (2 F, D) and (D, F) have the type of the products."""
    B, N, D = h.shape
    out, launch = torch.empty_like(h), _launch(FORWARD, D)
    feedforward_forward[(launch.programs(N, B), B)](
        h, gain, gate_up, down, out, N, eps, D=D, F=down.shape[1], PART=_part(D), **launch.flags
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
    launch = _launch(BACKWARD, D)
    feedforward_backward[(launch.programs(N, B), B)](
        h, gain, gate_up, down, dout, middle, dgate_up, N, eps,
        D=D, F=down.shape[1], PART=_part(D), **launch.flags,
    )  # fmt: skip
    dgate, dup = dgate_up.chunk(2, -1)
    dh = norm_gradient(
        h, gain, None, eps, dgate, dup, gate_up, dout, partials, pair=True, divided=True
    )
    return dh, middle, dgate_up


def _launch(best: Launch, D: int) -> Launch:
    """Hopper's products read both operands from shared memory, others hold them in registers:
    these are enough for eight warps, however few the channels."""
    return SMALL.at(D)._replace(warps=SMALL.warps) if limits().small else best.at(D)


def _part(D: int) -> int:
    """Hidden units in a part: all of them where three matrices and a tile have room."""
    whole = SMALL.kilobytes * D // 128 * KILOBYTE
    return D if whole <= limits().shared else PART
