"""Softmax attention of every point to its neighbors, without gathering (N, K, D).

A program takes some points with all heads, walks through their neighbors and keeps a running
softmax. The gradients of keys and values walk through the reverse lists (who has me as a
neighbor), so that nothing is added up in an order that depends on timing.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

ROWS, WARPS = 8, 4
LOWEST = -1e30  # finite, so that differences of it are not NaN


@triton.jit
def neighbors_forward(
    qkv, neighbors, out, lse, N, K, scale,
    H: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, LOWEST: tl.constexpr,
):  # fmt: skip
    D: tl.constexpr = H * C
    first = tl.program_id(1).to(tl.int64) * N
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    ok = rows < N
    head = tl.arange(0, H)
    channel = head[None, :, None] * C + tl.arange(0, C)[None, None, :]
    keep = ok[:, None, None]
    qkv += first * 3 * D
    q = tl.load(qkv + rows[:, None, None] * (3 * D) + channel, mask=keep, other=0.0)
    q = q.to(tl.float32) * scale
    top = tl.full((ROWS, H), LOWEST, tl.float32)
    below = tl.zeros((ROWS, H), tl.float32)
    total = tl.zeros((ROWS, H, C), tl.float32)
    for j in range(K):
        near = tl.load(neighbors + (first + rows) * K + j, mask=ok, other=-1)
        valid = near >= 0
        at = qkv + near.to(tl.int32)[:, None, None] * (3 * D) + channel
        k = tl.load(at + D, mask=valid[:, None, None], other=0.0).to(tl.float32)
        v = tl.load(at + 2 * D, mask=valid[:, None, None], other=0.0).to(tl.float32)
        score = tl.where(valid[:, None], tl.sum(q * k, axis=2), LOWEST)
        higher = tl.maximum(top, score)
        shrink = tl.exp(top - higher)
        weight = tl.where(valid[:, None], tl.exp(score - higher), 0.0)
        below = below * shrink + weight
        total = total * shrink[:, :, None] + weight[:, :, None] * v
        top = higher
    below = tl.where(below > 0, below, 1.0)
    total = total / below[:, :, None]
    at = first * D + rows[:, None, None] * D + channel
    tl.store(out + at, total.to(out.dtype.element_ty), mask=keep)
    tl.store(
        lse + (first + rows)[:, None] * H + head[None, :], top + tl.log(below), mask=ok[:, None]
    )


@triton.jit
def neighbors_backward_queries(
    qkv, neighbors, out, lse, dout, dqkv, delta, N, K, scale,
    H: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, LOWEST: tl.constexpr,
):  # fmt: skip
    D: tl.constexpr = H * C
    first = tl.program_id(1).to(tl.int64) * N
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    ok = rows < N
    head = tl.arange(0, H)
    channel = head[None, :, None] * C + tl.arange(0, C)[None, None, :]
    keep = ok[:, None, None]
    qkv += first * 3 * D
    q = tl.load(qkv + rows[:, None, None] * (3 * D) + channel, mask=keep, other=0.0)
    q = q.to(tl.float32) * scale
    at = first * D + rows[:, None, None] * D + channel
    up = tl.load(dout + at, mask=keep, other=0.0).to(tl.float32)
    value = tl.load(out + at, mask=keep, other=0.0).to(tl.float32)
    mean = tl.sum(up * value, axis=2)
    each = (first + rows)[:, None] * H + head[None, :]
    norm = tl.load(lse + each, mask=ok[:, None], other=0.0)
    tl.store(delta + each, mean, mask=ok[:, None])
    total = tl.zeros((ROWS, H, C), tl.float32)
    for j in range(K):
        near = tl.load(neighbors + (first + rows) * K + j, mask=ok, other=-1)
        valid = near >= 0
        there = qkv + near.to(tl.int32)[:, None, None] * (3 * D) + channel
        k = tl.load(there + D, mask=valid[:, None, None], other=0.0).to(tl.float32)
        v = tl.load(there + 2 * D, mask=valid[:, None, None], other=0.0).to(tl.float32)
        weight = tl.exp(tl.where(valid[:, None], tl.sum(q * k, axis=2) - norm, LOWEST))
        dscore = weight * (tl.sum(up * v, axis=2) - mean)
        total += dscore[:, :, None] * k
    at = dqkv + first * 3 * D + rows[:, None, None] * (3 * D) + channel
    tl.store(at, (total * scale).to(dqkv.dtype.element_ty), mask=keep)


@triton.jit
def neighbors_backward_keys(
    qkv, starts, sources, lse, dout, dqkv, delta, points, scale,
    H: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, LOWEST: tl.constexpr,
):  # fmt: skip
    """dk and dv of a point from all points that attend to it; rows count over the batch."""
    D: tl.constexpr = H * C
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    ok = rows < points
    head = tl.arange(0, H)
    channel = head[None, :, None] * C + tl.arange(0, C)[None, None, :]
    keep = ok[:, None, None]
    mine = rows[:, None, None] * (3 * D) + channel
    k = tl.load(qkv + mine + D, mask=keep, other=0.0).to(tl.float32)
    v = tl.load(qkv + mine + 2 * D, mask=keep, other=0.0).to(tl.float32)
    start = tl.load(starts + rows, mask=ok, other=0)
    length = tl.load(starts + rows + 1, mask=ok, other=0) - start
    dk = tl.zeros((ROWS, H, C), tl.float32)
    dv = tl.zeros((ROWS, H, C), tl.float32)
    for j in range(tl.max(length, axis=0)):
        valid = j < length
        who = tl.load(sources + start + j, mask=valid, other=0)
        q = tl.load(
            qkv + who[:, None, None] * (3 * D) + channel, mask=valid[:, None, None], other=0.0
        ).to(tl.float32)
        up = tl.load(
            dout + who[:, None, None] * D + channel, mask=valid[:, None, None], other=0.0
        ).to(tl.float32)
        each = who[:, None] * H + head[None, :]
        norm = tl.load(lse + each, mask=valid[:, None], other=0.0)
        mean = tl.load(delta + each, mask=valid[:, None], other=0.0)
        weight = tl.exp(tl.where(valid[:, None], tl.sum(q * k, axis=2) * scale - norm, LOWEST))
        dv += weight[:, :, None] * up
        dk += (weight * (tl.sum(up * v, axis=2) - mean))[:, :, None] * q
    dtype = dqkv.dtype.element_ty
    tl.store(dqkv + mine + D, (dk * scale).to(dtype), mask=keep)
    tl.store(dqkv + mine + 2 * D, dv.to(dtype), mask=keep)


def neighbor_attention(qkv: Tensor, neighbors: Tensor, heads: int) -> tuple[Tensor, Tensor]:
    """(B, N, D) from q, k, v side by side (B, N, 3 D) and the lists (B, N, K).

    Beside it the logarithm of every softmax's denominator, which the gradient needs.
    """
    B, N, width = qkv.shape
    out = qkv.new_empty(B, N, width // 3)
    lse = qkv.new_empty(B, N, heads, dtype=torch.float32)
    flags = _flags(qkv, heads)
    neighbors_forward[(triton.cdiv(N, ROWS), B)](
        qkv, neighbors, out, lse, N, neighbors.shape[2], flags["C"] ** -0.5, **flags
    )
    return out, lse


def neighbor_gradient(
    qkv: Tensor,
    neighbors: Tensor,
    starts: Tensor,
    sources: Tensor,
    out: Tensor,
    lse: Tensor,
    dout: Tensor,
) -> Tensor:
    """The gradient of qkv; `starts` and `sources` are the reverse lists."""
    B, N, _ = qkv.shape
    dqkv, delta = torch.empty_like(qkv), torch.empty_like(lse)
    flags = _flags(qkv, lse.shape[2])
    scale = flags["C"] ** -0.5
    neighbors_backward_queries[(triton.cdiv(N, ROWS), B)](
        qkv, neighbors, out, lse, dout, dqkv, delta, N, neighbors.shape[2], scale, **flags
    )
    neighbors_backward_keys[(triton.cdiv(B * N, ROWS),)](
        qkv, starts, sources, lse, dout, dqkv, delta, B * N, scale, **flags
    )
    return dqkv


def _flags(qkv: Tensor, heads: int) -> dict[str, Any]:
    C = qkv.shape[2] // (3 * heads)
    return {"H": heads, "C": C, "ROWS": ROWS, "LOWEST": LOWEST, "num_warps": WARPS}


def reverse_lists(neighbors: Tensor) -> tuple[Tensor, Tensor]:
    """Who has me as a neighbor: `sources[starts[i] : starts[i + 1]]`, numbers over the batch."""
    B, N, K = neighbors.shape
    shift = N * torch.arange(B, device=neighbors.device)[:, None, None]
    # 32 bits are sorted in half the passes of 64
    target = torch.where(neighbors >= 0, neighbors + shift, B * N).flatten().int()
    ordered, edge = target.sort(stable=True)
    numbers = torch.arange(B * N + 1, device=neighbors.device, dtype=torch.int32)
    return torch.searchsorted(ordered, numbers), edge // K
