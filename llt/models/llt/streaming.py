"""Prediction on meshes of any size: LLT evaluated chunk by chunk, in constant device memory.

Only one thing in a block needs all points at once: the sums S = Σ φ(k) vᵀ and z = Σ φ(k) of its
global attention. All else looks at a point and its neighborhood. So the model is evaluated layer
by layer, and each layer chunk by chunk, every pass also forming the sums that the next one needs:

    embed a chunk, store h, add to the sums of the first block
    for every block but the last: read a chunk of h with its halo, apply the block, store the new
        h beside the old, add to the sums of the next block
    last block: the same, then the decoder; its raw input s is computed again, never stored

Nothing is approximated; only the order of summation differs from `LLT.forward`. A chunk is a strip
of rows on grids, with the rows that the convolutions reach, and a compact region on point sets,
with the neighbors of its points. What grows with the mesh is x, a, u and the two stores of h; the
stores move to host memory where they are large, so that device memory hardly depends on the mesh.

Shapes: N points, n points of a chunk, M those with its halo, d space dimensions, D width, H heads,
C = D / H channels per head, K neighbors, S width of the raw input s. There is one case at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import cast

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from torch import Tensor, nn

from llt import kernels
from llt.models.llt.definition import LLT, Block, Embedder, LocalAttention, LocalConv
from llt.nn.encoding import fourier_features, unit_grid

CHUNK = 2**14  # points: enough to fill a GPU, and below 1 GiB of neighbors' keys and values
DEVICE_STORE = 2**31  # bytes of h that may stay on the device
Graph = NDArray[np.int32]


@torch.no_grad()
def stream(
    model: LLT,
    x: Tensor,
    a: Tensor,
    *,
    t: Tensor | None = None,
    grid: tuple[int, ...] | None = None,
    neighbors: Graph | None = None,
    chunk: int = CHUNK,
) -> Tensor:
    """What the model gives for one case x (N, d), a (N, Ca): (N, Cu), computed in chunks.

    Args:
        t: output time (1,), on timed problems.
        grid: shape of the mesh, on structured meshes.
        neighbors: indices (N, K), -1 where there are fewer, on point sets; in host memory.
        chunk: points per chunk; on grids at least one row of the first axis.
    """
    condition = None if model.time is None else model.time(t)
    if grid is not None:
        case = Case(x, a, unit_grid(grid, x.device, x.dtype), condition)
        return _evaluate(model, case, [*grid_chunks(grid, _halo(model), chunk)])
    if neighbors is None:
        raise ValueError(f"{model.problem.name}: LLT on point sets needs `neighbors`")
    order = spatial_order(x)
    rows = torch.from_numpy(order).to(x.device)
    x, a = x[rows], a[rows]
    case = Case(x, a, x, condition)
    u = _evaluate(model, case, [*point_chunks(neighbors, order, chunk)])
    return torch.empty_like(u).index_copy_(0, rows, u)


@dataclass(frozen=True, slots=True)
class Case:
    """What the model is asked, on the device."""

    x: Tensor  # (N, d)
    a: Tensor  # (N, Ca)
    places: Tensor  # (N, d), x itself or the index grid: where distances are taken from
    condition: Tensor | None  # (1, D) embedded time


@dataclass(frozen=True, slots=True)
class Chunk:
    """Points to compute, and the points to read for that."""

    rows: slice  # the n points to compute
    span: slice  # consecutive points to read: the rows, on grids with the halo around them
    grid: tuple[int, ...] | None = None  # shape of the span, on grids
    halo: Tensor | None = None  # (M - n,) further points to read, on point sets
    neighbors: Tensor | None = None  # (n, K) among the points read, on point sets

    @property
    def kept(self) -> slice:
        """Where the rows stand among the points read."""
        first = self.rows.start - self.span.start
        return slice(first, first + self.rows.stop - self.rows.start)

    def read(self, store: Tensor, device: torch.device) -> Tensor:
        h = store[self.span].to(device, non_blocking=True)
        if self.halo is not None:
            far = store[self.halo.to(store.device)]
            h = torch.cat((h, far.to(device, non_blocking=True)))
        return h.unsqueeze(0)  # (1, M, D)


def grid_chunks(grid: tuple[int, ...], halo: int, size: int) -> Iterator[Chunk]:
    """Strips of rows along the first axis, where the points of a row follow each other."""
    width = prod(grid[1:])
    rows = max(1, size // width)
    for start in range(0, grid[0], rows):
        stop = min(start + rows, grid[0])
        low, high = max(0, start - halo), min(grid[0], stop + halo)
        yield Chunk(
            rows=slice(start * width, stop * width),
            span=slice(low * width, high * width),
            grid=(high - low, *grid[1:]),
        )


def point_chunks(neighbors: Graph, order: NDArray[np.int64], size: int) -> Iterator[Chunk]:
    """Chunks of points taken in an order, with their neighbors renumbered to that order."""
    N = len(order)
    place = np.full(N + 1, -1, dtype=np.int32)  # its last entry is that of index -1, no neighbor
    place[order] = np.arange(N, dtype=np.int32)
    for start in range(0, N, size):
        stop = min(start + size, N)
        table = place[neighbors[order[start:stop]]]  # (n, K)
        outside = (table >= stop) | (table < start) & (table >= 0)
        halo, at = np.unique(table[outside], return_inverse=True)
        local = np.where(table >= 0, table - start, -1)
        local[outside] = stop - start + at
        yield Chunk(
            rows=slice(start, stop),
            span=slice(start, stop),
            halo=torch.from_numpy(halo),
            neighbors=torch.from_numpy(local),
        )


def spatial_order(x: Tensor) -> NDArray[np.int64]:
    """An order in which points near in space are near each other, so that halos are small."""
    # a KD-tree sorts the points box by box; boxes far smaller than a chunk are not needed
    # (a copy: newer versions of scipy lend theirs to be read only)
    return np.array(cKDTree(x.cpu().numpy(), leafsize=256).indices)


def _evaluate(model: LLT, case: Case, chunks: list[Chunk]) -> Tensor:
    """The passes over all chunks: (N, Cu), points in the order of the case."""
    blocks = cast(list[Block], [*model.blocks])
    h, following = _stores(len(case.x), model.skip.weight)
    sums = Sums()
    for chunk in chunks:
        state = model.embedder.mlp(_raw_input(model.embedder, case, chunk))
        h[chunk.rows].copy_(state[0], non_blocking=True)
        sums.add(blocks[0], state, case.condition)
    for block, after in pairwise(blocks):
        _wait_for(case.x.device)
        known, sums = sums, Sums()
        for chunk in chunks:
            state = _apply(block, known, h, case, chunk)
            following[chunk.rows].copy_(state[0], non_blocking=True)
            sums.add(after, state, case.condition)
        h, following = following, h
    _wait_for(case.x.device)
    u = case.x.new_empty(len(case.x), model.problem.out_channels)
    for chunk in chunks:
        state = _apply(blocks[-1], sums, h, case, chunk)
        s = _raw_input(model.embedder, case, chunk)
        u[chunk.rows] = model.head(model.norm(state + model.skip(s)))[0]
    return u


@dataclass(slots=True)
class Sums:
    """S and z of a block's global attention over the chunks added so far."""

    # float64, so that the number of chunks does not matter
    kv: Tensor = field(default_factory=lambda: torch.zeros((), dtype=torch.double))
    z: Tensor = field(default_factory=lambda: torch.zeros((), dtype=torch.double))

    def add(self, block: Block, h: Tensor, condition: Tensor | None) -> None:
        attention = block.attention
        weight = attention.qkv.weight[h.shape[-1] :]  # of k and v alone
        both = F.linear(block.normed(h, condition), weight)
        k, v = both.unflatten(-1, (2, attention.heads, -1)).unbind(2)  # (1, n, H, C)
        kv, z = kernels.linear_attention_sums(k, v)
        self.kv, self.z = self.kv + kv.double(), self.z + z.double()

    def attend(self, q: Tensor) -> Tensor:
        return kernels.linear_attention_apply(q, self.kv.to(q.dtype), self.z.to(q.dtype))


def _raw_input(embedder: Embedder, case: Case, chunk: Chunk) -> Tensor:
    """s of a chunk, as in `Embedder.forward` but with distances to the places of the whole mesh."""
    x, a = case.x[None, chunk.span], case.a[None, chunk.span]
    fields = torch.cat((x, a), dim=-1)
    if embedder.conv is not None and chunk.grid is not None:
        fields = embedder.conv(fields, chunk.grid)
    distances = embedder.distances(case.places[None, chunk.rows], None)
    waves = fourier_features(x[:, chunk.kept], embedder.bands)
    return torch.cat((waves, distances.to(x.dtype), fields[:, chunk.kept]), dim=-1)  # (1, n, S)


def _apply(block: Block, sums: Sums, store: Tensor, case: Case, chunk: Chunk) -> Tensor:
    """`Block.forward` for the rows of a chunk, given the sums over all points: (1, n, D)."""
    attention = block.attention
    read = chunk.read(store, case.x.device)  # (1, M, D)
    normed = block.normed(read, case.condition)
    h, own = read[:, chunk.kept], normed[:, chunk.kept]  # (1, n, D)
    q = F.linear(own, attention.qkv.weight[: own.shape[-1]]).unflatten(-1, (attention.heads, -1))
    far = sums.attend(q).flatten(2)
    near = _near(attention.local, normed, chunk)
    h = h + attention.mix(h, far, near)
    return h + block.ffn(block.norm2(h))


def _near(local: LocalConv | LocalAttention, normed: Tensor, chunk: Chunk) -> Tensor:
    """The local path at the rows of a chunk, from the normed states of all points read."""
    if isinstance(local, LocalConv):
        # zeros beyond the strip are right at the mesh's edge; elsewhere they reach only the halo
        return local(normed, chunk.grid, None)[:, chunk.kept]
    assert chunk.neighbors is not None
    q, k, v = local.qkv(normed).unflatten(-1, (3, local.heads, -1)).unbind(2)  # (1, M, H, C)
    neighbors = chunk.neighbors.to(normed.device, non_blocking=True).unsqueeze(0)
    return kernels.neighbor_attention(q[:, chunk.kept], k, v, neighbors).flatten(2)


def _halo(model: LLT) -> int:
    """Rows to each side that the embedding or a block reaches: convolutions in a row add up."""
    return max(
        sum(m.kernel_size[0] // 2 for m in part.modules() if isinstance(m, nn.Conv2d | nn.Conv3d))
        for part in (model.embedder, model.blocks[0])
    )


def _stores(rows: int, like: Tensor) -> tuple[Tensor, Tensor]:
    """Room for h before and after a block, on the device of the weights or, if large, the host."""
    shape = (rows, len(like))
    large = 2 * prod(shape) * like.element_size() > DEVICE_STORE
    on_host = large and like.device.type != "cpu"
    device = torch.device("cpu") if on_host else like.device
    # pinned memory is copied from and to while the device computes
    first, second = (
        torch.empty(shape, dtype=like.dtype, device=device, pin_memory=on_host) for _ in range(2)
    )
    return first, second


def _wait_for(device: torch.device) -> None:
    """Copies from a device to the host return before they are done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
