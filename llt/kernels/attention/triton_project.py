"""First pass of a block: norm, the q, k, v and gate projections, and the sums over all points.

    n = rms_norm(h) · (1 + scale) + shift                              (B, N, D)
    proj = (φ(W_q n), φ(W_k n), W_v n, sigmoid(W_gate h + b))          (B, N, 4 D)
    state = (sum φ(k) v^T, sum φ(k)) / N                               (B, C + 1, D), see tiles.py

Points that do not count have φ(k) = 0. Dividing by N keeps the state within the range of 16-bit
numbers; the mix divides it out again.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.norm.triton import normed
from llt.kernels.triton_tiles import (
    Launch,
    by_head,
    load_matrix,
    load_tile,
    partial_sums,
    phi,
    side_by_side,
    sigmoid,
    state_tiles,
    store_tile,
    sums_tile,
)

FORWARD = Launch(rows=32, warps=4, shared_by=2, kilobytes=80)
BACKWARD = Launch(rows=16, warps=4, shared_by=6, kilobytes=20)


@triton.jit
def project_forward(
    h, gain, film, mask, qkv, gate, gate_bias, n_out, proj, part_out, N, eps,
    D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, FILM: tl.constexpr,
    MASK: tl.constexpr,
):  # fmt: skip
    """Half of the programs do the queries and the gate, the others keys, values and sums."""
    G: tl.constexpr = C if C > 16 else 16
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    rows, cols = tl.arange(0, ROWS), tl.arange(0, D)
    dtype = n_out.dtype.element_ty
    h += sample * N * D
    n_out += sample * N * D
    proj += sample * N * 4 * D
    if FILM:
        film += sample * 2 * D
    g = tl.load(gain + cols)
    ahead = load_tile(h, first, N, ROWS, D, D)
    if tl.program_id(2) == 0:
        w_q, w_gate = load_matrix(qkv, D, D), load_matrix(gate, D, D)
        bias = tl.load(gate_bias + cols).to(tl.float32)
        for index in range(first, tl.cdiv(N, ROWS), step):
            x = ahead
            ahead = load_tile(h, index + step, N, ROWS, D, D)
            n = normed(x.to(tl.float32), g, film, D, FILM, eps).to(dtype)
            s = sigmoid(tl.dot(x.to(dtype), tl.trans(w_gate)) + bias[None, :])
            store_tile(proj + 3 * D, s, index, N, ROWS, D, 4 * D)
            store_tile(proj, phi(tl.dot(n, tl.trans(w_q))), index, N, ROWS, D, 4 * D)
    else:
        w_k, w_v = load_matrix(qkv + D * D, D, D), load_matrix(qkv + 2 * D * D, D, D)
        kv = tl.zeros((D // G, G, G), tl.float32)
        z = tl.zeros((ROWS, D), tl.float32)
        for index in range(first, tl.cdiv(N, ROWS), step):
            x = ahead
            ahead = load_tile(h, index + step, N, ROWS, D, D)
            n = normed(x.to(tl.float32), g, film, D, FILM, eps).to(dtype)
            store_tile(n_out, n, index, N, ROWS, D, D)
            ok = index * ROWS + rows < N
            if MASK:
                ok = ok & (tl.load(mask + sample * N + index * ROWS + rows, mask=ok, other=0) != 0)
            feature = tl.where(ok[:, None], phi(tl.dot(n, tl.trans(w_k))), 0.0).to(dtype)
            store_tile(proj + D, feature, index, N, ROWS, D, 4 * D)
            v = tl.dot(n, tl.trans(w_v)).to(dtype)
            store_tile(proj + 2 * D, v, index, N, ROWS, D, 4 * D)
            kv = tl.dot(tl.permute(by_head(feature, C), (0, 2, 1)), by_head(v, C), kv)
            z += feature.to(tl.float32)
        part = part_out + (sample * step + first) * (C + 1) * D
        at, _, same = state_tiles(D, C)
        tl.store(part + at, kv / N, mask=same)
        tl.store(part + C * D + cols, tl.sum(z, axis=0) / N)


@triton.jit
def state_backward(proj, dproj, dstate, N, D: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr):
    """dk and dv from the state's gradient, into the columns of dproj that are theirs."""
    sample = tl.program_id(1).to(tl.int64)
    first, step = tl.program_id(0), tl.num_programs(0)
    dtype = proj.dtype.element_ty
    proj += sample * N * 4 * D
    dproj += sample * N * 4 * D
    dstate += sample * (C + 1) * D
    at, _, same = state_tiles(D, C)
    dkv = (tl.load(dstate + at, mask=same, other=0.0) / N).to(dtype)
    dz = tl.expand_dims(tl.load(dstate + sums_tile(D, C)) / N, 1)
    next_k = load_tile(proj + D, first, N, ROWS, D, 4 * D)
    next_v = load_tile(proj + 2 * D, first, N, ROWS, D, 4 * D)
    for index in range(first, tl.cdiv(N, ROWS), step):
        feature, v = next_k, next_v
        next_k = load_tile(proj + D, index + step, N, ROWS, D, 4 * D)
        next_v = load_tile(proj + 2 * D, index + step, N, ROWS, D, 4 * D)
        dfeature = tl.dot(by_head(v, C), tl.permute(dkv, (0, 2, 1))) + dz
        slope = tl.minimum(feature.to(tl.float32), 1.0)
        dk = side_by_side(dfeature.to(dtype)).to(tl.float32) * slope
        store_tile(dproj + D, dk, index, N, ROWS, D, 4 * D)
        dv = side_by_side(tl.dot(by_head(feature, C), dkv).to(dtype))
        store_tile(dproj + 2 * D, dv, index, N, ROWS, D, 4 * D)


def project(
    h: Tensor,
    gain: Tensor,
    film: Tensor | None,  # (B, 2 D): scale and shift
    mask: Tensor | None,  # (B, N)
    qkv: Tensor,
    gate: Tensor,
    gate_bias: Tensor,
    heads: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """n, proj, and partial sums of the state (B, programs, C + 1, D), yet to be added up.

    The matrices have the type of the products.
    """
    B, N, D = h.shape
    C = D // heads
    launch = FORWARD.at(D)
    count = launch.programs(N, 2 * B)
    n = h.new_empty(B, N, D, dtype=qkv.dtype)
    proj = h.new_empty(B, N, 4 * D, dtype=qkv.dtype)
    partials = partial_sums(h, B, count, C + 1, D)
    project_forward[(count, B, 2)](
        h, gain, film, mask, qkv, gate, gate_bias, n, proj, partials, N, eps,
        D=D, C=C, FILM=film is not None, MASK=mask is not None, **launch.flags,
    )  # fmt: skip
    return n, proj, partials


def state_gradient(proj: Tensor, dproj: Tensor, dstate: Tensor) -> None:
    """Fill the columns of dproj that belong to k and v."""
    B, N, width = proj.shape
    D = width // 4
    launch = BACKWARD.at(D)
    state_backward[(launch.programs(N, B), B)](
        proj, dproj, dstate, N, D=D, C=dstate.shape[1] - 1, **launch.flags
    )
