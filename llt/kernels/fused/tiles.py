"""What the fused kernels share: feature map, sums over heads, the attention state as a matrix.

A tile is (ROWS, D): some points with all their channels. A program loads its weights once, into
shared memory, and walks through every so many-th tile of one sample; so the tiles in flight are
as many as the programs, and weights cost no time. Arithmetic is in float32; products take their
operands in the activations' type.

The state of linear attention is stored compactly, (C + 1, D) per sample: row c holds
sum φ(k)[h, c] v[h, :] for all heads h side by side, the last row sum φ(k).
"""

from __future__ import annotations

import triton
import triton.language as tl

PROCESSORS = 132  # of an H100 or H200; others only balance less well


@triton.jit
def phi(x):
    """elu(x) + 1."""
    return tl.where(x > 0, x + 1, tl.exp(tl.minimum(x, 0)))


@triton.jit
def phi_slope(x):
    return tl.where(x > 0, 1.0, tl.exp(tl.minimum(x, 0)))


@triton.jit
def head_sum(x, H: tl.constexpr, C: tl.constexpr):
    """Sum over the channels of each head, given back to all of them: (rows, D)."""
    rows: tl.constexpr = x.shape[0]
    sums = tl.sum(tl.reshape(x, (rows, H, C)), axis=2)
    spread = tl.broadcast_to(tl.expand_dims(sums, 2), (rows, H, C))
    return tl.reshape(spread, (rows, H * C))


@triton.jit
def tile(ROWS: tl.constexpr, COLS: tl.constexpr, stride):
    """Offsets of a (ROWS, COLS) tile: 32-bit, so that they cost few registers."""
    return tl.arange(0, ROWS)[:, None] * stride + tl.arange(0, COLS)[None, :]


@triton.jit
def load_matrix(weight, D: tl.constexpr):
    """A (D, D) matrix."""
    return tl.load(weight + tile(D, D, D))


@triton.jit
def block_diagonal(state, D: tl.constexpr, C: tl.constexpr):
    """The compact state (C, D) as the (D, D) matrix that acts on all heads at once."""
    row, col = tl.arange(0, D)[:, None], tl.arange(0, D)[None, :]
    return tl.load(state + (row % C) * D + col, mask=row // C == col // C, other=0.0)


@triton.jit
def compact(full, D: tl.constexpr, C: tl.constexpr):
    """The block diagonal of (D, D), heads side by side: (C, D)."""
    row, col = tl.arange(0, D)[:, None], tl.arange(0, D)[None, :]
    kept = tl.where(row // C == col // C, full, 0.0)
    return tl.sum(tl.reshape(kept, (D // C, C, D)), axis=0)


@triton.jit
def norm_backward(dn, x, inv, gain, D: tl.constexpr, eps):
    """Gradient of x · inv · gain with respect to x, inv = 1 / (rms(x) + eps)."""
    dx = dn * gain[None, :]
    rms = 1 / inv - eps
    along = tl.sum(dx * x, axis=1) * inv * inv / (D * tl.maximum(rms, 1e-30))
    return dx * inv[:, None] - x * along[:, None]


def warps(dim: int) -> int:
    return 8 if dim >= 128 else 4


def programs(points: int, rows: int, samples: int = 1) -> int:
    """Programs per sample: about one for each of the GPU's processors, none without a tile.

    Each leaves its own partial sums; adding those up in a fixed order makes results repeatable.
    """
    return min(triton.cdiv(points, rows), -(-PROCESSORS // samples))
