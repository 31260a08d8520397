"""What the fused kernels share: tiles of points, feature map, heads, partial sums.

A tile is (ROWS, D): some points with all their channels. A program loads its weights once, into
shared memory, walks through every so many-th tile of one sample, and asks for the next tile
before it works on one. Arithmetic is in float32; products take their operands in the
activations' type.

The state of linear attention is stored compactly, (C + 1, D) per sample: row c holds
sum φ(k)[h, c] v[h, :] for all heads h side by side, the last row sum φ(k).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from llt.kernels.limits import KILOBYTE, limits

# numbers that a program of `reduce_partials` reads at a time, and of how many programs at most
SUM_TILE, SUM_DEPTH = 4096, 512


class Launch(NamedTuple):
    """Points in a tile, warps of a program, and programs that share one of the GPU's processors.

    More programs hide each other's waiting, as far as registers and shared memory reach.
    """

    rows: int
    warps: int
    shared_by: int
    kilobytes: int = 0  # of shared memory that a program takes at 128 channels

    def programs(self, points: int, samples: int) -> int:
        """Programs per sample, none without a tile.

        Each leaves its own partial sums; adding those up in a fixed order makes results
        repeatable.
        """
        # one too many would wait until the first are done
        wanted = max(1, limits().processors * self.shared_by // samples)
        return min(triton.cdiv(points, self.rows), wanted)

    def at(self, dim: int) -> Launch:
        """Found best for 128 channels; fewer make tiles of more points, for four warps at most."""
        launch = self._replace(shared_by=self._sharing(dim)) if limits().small else self
        if dim >= 128:
            return launch
        return launch._replace(rows=self.rows * 128 // dim, warps=min(self.warps, 4))

    def _sharing(self, dim: int) -> int:
        """As many programs as have room in the shared memory of a processor."""
        # a processor has one kilobyte more than a program may take, the system one for each
        room = limits().shared // KILOBYTE + 1
        return max(1, min(self.shared_by, room // (self.kilobytes * dim // 128 + 1)))

    @property
    def flags(self) -> dict[str, int]:
        return {"ROWS": self.rows, "num_warps": self.warps, "num_stages": 1}


@triton.jit
def load_tile(source, index, N, ROWS: tl.constexpr, D: tl.constexpr, stride):
    """Rows of tile `index`, zeros beyond the last point; 32-bit offsets cost few registers."""
    rows = index * ROWS + tl.arange(0, ROWS)
    at = rows[:, None] * stride + tl.arange(0, D)[None, :]
    return tl.load(source + at, mask=(rows < N)[:, None], other=0.0)


@triton.jit
def store_tile(target, value, index, N, ROWS: tl.constexpr, D: tl.constexpr, stride):
    rows = index * ROWS + tl.arange(0, ROWS)
    at = rows[:, None] * stride + tl.arange(0, D)[None, :]
    tl.store(target + at, value.to(target.dtype.element_ty), mask=(rows < N)[:, None])


@triton.jit
def load_matrix(weight, F: tl.constexpr, D: tl.constexpr):
    """The first F rows of a matrix of width D, zeros below them: (D, D)."""
    row, col = tl.arange(0, D)[:, None], tl.arange(0, D)[None, :]
    return tl.load(weight + row * D + col, mask=row < F, other=0.0)


@triton.jit
def exp(x):
    """Through exp2, which is one instruction; tl.exp takes care of denormal numbers too."""
    return tl.exp2(x * 1.4426950408889634)


@triton.jit
def phi(x):
    """elu(x) + 1; its slope is min(φ, 1)."""
    return tl.where(x > 0, x + 1, exp(tl.minimum(x, 0)))


@triton.jit
def reciprocal(x):
    """1 / x of positive numbers, two instructions where a division takes eight."""
    root = tl.rsqrt(x)
    return root * root


@triton.jit
def sigmoid(x):
    return reciprocal(1 + exp(-x))


@triton.jit
def gelu(z):
    """z P(z), and its slope P(z) + z p(z): P is the normal distribution, to 1e-7, p its density."""
    t = reciprocal(1 + 0.2316419 * tl.abs(z))
    p = 0.3989422804014327 * exp(-0.5 * z * z)
    tail = (
        (((1.330274429 * t - 1.821255978) * t + 1.781477937) * t - 0.356563782) * t
    ) + 0.319381530
    tail = tail * t * p
    below = tl.where(z > 0, 1 - tail, tail)
    return z * below, below + z * p


@triton.jit
def by_head(x, C: tl.constexpr):
    """(rows, D) as (groups, rows, G): products of all groups at once, some for each warp.

    A group is a head of C channels or, where these are fewer than a product needs, the heads that
    make sixteen; their matrices are then block diagonal.
    """
    rows: tl.constexpr = x.shape[0]
    G: tl.constexpr = C if C > 16 else 16
    groups: tl.constexpr = x.shape[1] // G
    return tl.permute(tl.reshape(x, (rows, groups, G)), (1, 0, 2))


@triton.jit
def side_by_side(x):
    """(groups, rows, G) as (rows, D)."""
    rows: tl.constexpr = x.shape[1]
    D: tl.constexpr = x.shape[0] * x.shape[2]
    return tl.reshape(tl.permute(x, (1, 0, 2)), (rows, D))


@triton.jit
def state_tiles(D: tl.constexpr, C: tl.constexpr):
    """Places in a state with the shape of its matrices, (groups, G, G): of the matrices; of the
    sums, so that a product with them sums over a head; and which are within a head."""
    G: tl.constexpr = C if C > 16 else 16
    group = tl.arange(0, D // G)[:, None, None]
    row, col = tl.arange(0, G)[None, :, None], tl.arange(0, G)[None, None, :]
    matrices, sums = row % C * D + group * G + col, C * D + group * G + row + 0 * col
    return matrices, sums, (row // C == col // C) & (group >= 0)  # the latter for its shape alone


@triton.jit
def sums_tile(D: tl.constexpr, C: tl.constexpr):
    """Offsets of the state's sums, (groups, G): its last row."""
    G: tl.constexpr = C if C > 16 else 16
    return C * D + tl.arange(0, D // G)[:, None] * G + tl.arange(0, G)[None, :]


@triton.jit
def sum_rows(partials, out, count, width, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    partials += tl.program_id(1).to(tl.int64) * count * width
    total = tl.zeros((DEPTH, BLOCK), tl.float32)
    for start in range(0, count, DEPTH):
        rows = start + tl.arange(0, DEPTH)
        keep = (rows < count)[:, None] & (cols < width)[None, :]
        total += tl.load(partials + rows[:, None] * width + cols[None, :], mask=keep, other=0.0)
    tl.store(out + tl.program_id(1) * width + cols, tl.sum(total, axis=0), mask=cols < width)


def reduce_partials(partials: Tensor, out: Tensor | None = None) -> Tensor:
    """Sum over the programs of (groups, programs, ...), always in the same order."""
    groups, count = partials.shape[:2]
    if out is None:
        out = partials.new_empty(groups, *partials.shape[2:])
    width = out.numel() // groups
    depth = min(SUM_DEPTH, triton.next_power_of_2(count))
    block = SUM_TILE // depth
    sum_rows[(triton.cdiv(width, block), groups)](
        partials, out, count, width, BLOCK=block, DEPTH=depth, num_warps=4
    )
    return out


def partial_sums(like: Tensor, *shape: int) -> Tensor:
    return like.new_empty(*shape, dtype=torch.float32)
