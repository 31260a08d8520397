"""What the fused kernels share: feature map, sums over heads, the attention state as a matrix.

A tile is (ROWS, D): some points with all their channels. A program loads its weights once, into
shared memory, and walks through every so many-th tile of one sample; so the tiles in flight are
as many as the programs, and weights cost no time. Arithmetic is in float32; products take their
operands in the activations' type.

The state of linear attention is stored compactly, (C + 1, D) per sample: row c holds
sum φ(k)[h, c] v[h, :] for all heads h side by side, the last row sum φ(k).
"""

from __future__ import annotations

from typing import NamedTuple

import triton
import triton.language as tl

PROCESSORS = 132  # of an H100 or H200; others only balance less well


class Launch(NamedTuple):
    """Points in a tile, warps of a program, and programs that share one of the GPU's processors.

    More programs hide each other's waiting, as far as registers and shared memory reach.
    """

    rows: int
    warps: int
    shared_by: int

    def programs(self, points: int, samples: int = 1) -> int:
        """Programs per sample, none without a tile.

        Each leaves its own partial sums; adding those up in a fixed order makes results
        repeatable.
        """
        wanted = -(-PROCESSORS * self.shared_by // samples)
        return min(triton.cdiv(points, self.rows), wanted)

    def flags(self, dim: int) -> dict[str, int]:
        """Few channels do not fill many warps."""
        return {"ROWS": self.rows, "num_warps": self.warps if dim >= 128 else 4, "num_stages": 1}


@triton.jit
def phi(x):
    """elu(x) + 1."""
    return tl.where(x > 0, x + 1, tl.exp(tl.minimum(x, 0)))


@triton.jit
def phi_slope(x):
    return tl.where(x > 0, 1.0, tl.exp(tl.minimum(x, 0)))


@triton.jit
def tile(ROWS: tl.constexpr, COLS: tl.constexpr, stride):
    """Offsets of a (ROWS, COLS) tile: 32-bit, so that they cost few registers."""
    return tl.arange(0, ROWS)[:, None] * stride + tl.arange(0, COLS)[None, :]


@triton.jit
def load_matrix(weight, D: tl.constexpr):
    """A (D, D) matrix."""
    return tl.load(weight + tile(D, D, D))


@triton.jit
def load_rows(weight, F: tl.constexpr, D: tl.constexpr):
    """The first F rows of a matrix of width D, zeros below them: (D, D)."""
    row = tl.arange(0, D)[:, None]
    return tl.load(weight + tile(D, D, D), mask=row < F, other=0.0)


@triton.jit
def by_head(x, C: tl.constexpr):
    """(rows, D) as (H, rows, C): products of all heads at once, one for each warp."""
    rows: tl.constexpr = x.shape[0]
    H: tl.constexpr = x.shape[1] // C
    return tl.permute(tl.reshape(x, (rows, H, C)), (1, 0, 2))


@triton.jit
def side_by_side(x):
    """(H, rows, C) as (rows, D)."""
    rows: tl.constexpr = x.shape[1]
    D: tl.constexpr = x.shape[0] * x.shape[2]
    return tl.reshape(tl.permute(x, (1, 0, 2)), (rows, D))


@triton.jit
def state_tile(D: tl.constexpr, C: tl.constexpr):
    """Offsets of the matrices of all heads, (H, C, C), in a state."""
    H: tl.constexpr = D // C
    head = tl.arange(0, H)[:, None, None]
    row, col = tl.arange(0, C)[None, :, None], tl.arange(0, C)[None, None, :]
    return row * D + head * C + col


@triton.jit
def sums_tile(D: tl.constexpr, C: tl.constexpr):
    """Offsets of the sums of all heads, (H, C), in a state: its last row."""
    H: tl.constexpr = D // C
    return C * D + tl.arange(0, H)[:, None] * C + tl.arange(0, C)[None, :]
