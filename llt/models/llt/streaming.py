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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.kernels import State
from llt.kernels.choice import product_dtype
from llt.models.llt.block import Block, Neighborhood
from llt.models.llt.definition import LLT
from llt.models.llt.order import spatial_order
from llt.nn.encoding import unit_grid

# points: below 1 GiB of neighbors' keys and values, which the fused kernels do not gather
CHUNK, FUSED_CHUNK = 2**14, 2**17
DEVICE_STORE = 6 * 2**30  # bytes of h that may stay on the device
Graph = NDArray[np.int32]


@torch.no_grad()
def stream(
    model: LLT,
    x: Tensor,
    a: Tensor,
    *,
    t: Tensor | None = None,
    grid: tuple[int, ...] | None = None,
    neighbors: Graph | Tensor | None = None,
    chunk: int | None = None,
) -> Tensor:
    """What the model gives for one case x (N, d), a (N, Ca): (N, Cu), computed in chunks.

    Args:
        t: output time (1,), on timed problems.
        grid: shape of the mesh, on structured meshes.
        neighbors: indices (N, K), -1 where there are fewer, on point sets.
        chunk: points per chunk; on grids at least one row of the first axis.
    """
    condition = model.condition(t)
    chunk = chunk or (FUSED_CHUNK if model.plan_for(x).fused else CHUNK)
    if grid is not None:
        case = Case(x, model.given(a, grid), unit_grid(grid, x.device, x.dtype), condition)
        return _evaluate(
            model, case, [*grid_chunks(grid, max(model.embedder.reach, model.about.reach), chunk)]
        )
    if neighbors is None:
        raise ValueError(f"{model.problem.name}: LLT on point sets needs `neighbors`")
    order = spatial_order(x)
    graph = torch.from_numpy(neighbors) if isinstance(neighbors, np.ndarray) else neighbors
    chunks = [*point_chunks(graph.to(order.device), order, chunk)]
    del graph, neighbors
    rows = order.to(x.device)
    x, a = x[rows], a[rows]
    case = Case(x, a, x, condition)
    u = _evaluate(model, case, chunks)
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

    def around(self, device: torch.device) -> Neighborhood:
        neighbors = self.neighbors
        if neighbors is not None:
            neighbors = neighbors.to(device, non_blocking=True).unsqueeze(0)
        return Neighborhood(self.grid, neighbors, self.kept)

    def read(self, store: Tensor, device: torch.device) -> Tensor:
        h = store[self.span].to(device, non_blocking=True)
        if self.halo is not None:
            halo = store[self.halo.to(store.device)]
            h = torch.cat((h, halo.to(device, non_blocking=True)))
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


def point_chunks(neighbors: Tensor, order: Tensor, size: int) -> Iterator[Chunk]:
    """Chunks of points taken in an order, with their neighbors renumbered to that order."""
    N = len(order)
    # its last entry is that of index -1, no neighbor
    place = torch.full((N + 1,), -1, dtype=torch.int32, device=order.device)
    place[order] = torch.arange(N, dtype=torch.int32, device=order.device)
    for start in range(0, N, size):
        stop = min(start + size, N)
        table = place[neighbors[order[start:stop]].long()]  # (n, K)
        outside = (table >= stop) | (table < start) & (table >= 0)
        halo, at = table[outside].unique(return_inverse=True)
        local = torch.where(table >= 0, table - start, -1)
        local[outside] = (stop - start + at).int()
        yield Chunk(rows=slice(start, stop), span=slice(start, stop), halo=halo, neighbors=local)


class Halves(Protocol):
    """The two halves of the blocks, which are asked for by number."""

    dtype: torch.dtype  # of h

    def reduce(self, index: int, h: Tensor) -> tuple[Tensor, ...]:
        """The state of the points h (1, n, D); those of chunks add up."""

    def apply(self, index: int, h: Tensor, state: Sequence[Tensor], around: Neighborhood) -> Tensor:
        """The rows (1, n, D) after the block, from h (1, M, D) and the state of all points."""


class PlainHalves:
    """As the block defines them."""

    def __init__(self, blocks: Sequence[Block], condition: Tensor | None) -> None:
        self.blocks, self.condition = blocks, condition
        self.dtype = blocks[0].norm1.gain.dtype

    def reduce(self, index: int, h: Tensor) -> tuple[Tensor, ...]:
        block = self.blocks[index]
        return block.reduce(block.normed(h, self.condition))

    def apply(self, index: int, h: Tensor, state: Sequence[Tensor], around: Neighborhood) -> Tensor:
        block = self.blocks[index]
        n = block.normed(h, self.condition)
        q = block.queries(around.own(n))
        whole = State(*(z.to(q.dtype) for z in state))
        return block.map(around.own(h), n, q, whole, around)


def _halves(model: LLT, case: Case) -> Halves:
    if not model.plan_for(case.x).fused:
        return PlainHalves(model.layers, case.condition)
    from llt.models.llt.fused.chunks import FusedHalves

    dtype = product_dtype(case.x)
    return FusedHalves(model.about, model.layers, case.condition, len(case.x), dtype)


def _evaluate(model: LLT, case: Case, chunks: list[Chunk]) -> Tensor:
    """The passes over all chunks: (N, Cu), points in the order of the case."""
    halves, last = _halves(model, case), len(model.layers) - 1
    h, following = _stores(len(case.x), model.skip.weight, halves.dtype)
    total = Total()
    for chunk in chunks:
        out, _ = _embedded(model, case, chunk)
        h[chunk.rows].copy_(out[0], non_blocking=True)
        total.add(halves.reduce(0, out))
    for index in range(last):
        _wait_for(case.x.device)
        known, total = total, Total()
        for chunk in chunks:
            out = _apply(halves, index, known, h, case, chunk)
            following[chunk.rows].copy_(out[0], non_blocking=True)
            total.add(halves.reduce(index + 1, out))
        h, following = following, h
    _wait_for(case.x.device)
    u = case.x.new_empty(len(case.x), model.problem.out_channels)
    for chunk in chunks:
        out = _apply(halves, last, total, h, case, chunk)
        u[chunk.rows] = model.decode(out, _skip(model, case, chunk))[0]
    return u


@dataclass(slots=True)
class Total:
    """The state of a block over the chunks added so far."""

    # float64, so that the number of chunks does not matter
    sums: list[Tensor] = field(default_factory=list)

    def add(self, state: Sequence[Tensor]) -> None:
        new = [z.double() for z in state]
        self.sums = [a + b for a, b in zip(self.sums, new, strict=True)] if self.sums else new


def _embedded(model: LLT, case: Case, chunk: Chunk) -> tuple[Tensor, Tensor]:
    """What enters the blocks from a chunk, and what is added to what leaves them: (1, n, D)."""
    if _fused_embedding(model, case):
        x, a = case.x[None, chunk.rows], case.a[None, chunk.rows]
        return model.embed(x, a, Neighborhood())
    return model.embed_raw(_raw_input(model, case, chunk))


def _skip(model: LLT, case: Case, chunk: Chunk) -> Tensor:
    """The second of these, computed again."""
    if _fused_embedding(model, case):
        return _embedded(model, case, chunk)[1]
    return model.skip(_raw_input(model, case, chunk))


def _fused_embedding(model: LLT, case: Case) -> bool:
    """On point sets; the kernels know no places of a part in a whole grid."""
    return model.problem.grid is None and model.plan_for(case.x).fused


def _raw_input(model: LLT, case: Case, chunk: Chunk) -> Tensor:
    """s of a chunk, with distances to the places of the whole mesh: (1, n, S)."""
    x, a = case.x[None, chunk.span], case.a[None, chunk.span]
    around = Neighborhood(chunk.grid, None, chunk.kept)
    return model.embedder.raw(x, a, around, case.places[None, chunk.rows])


def _apply(
    halves: Halves, index: int, total: Total, store: Tensor, case: Case, chunk: Chunk
) -> Tensor:
    """A block for the rows of a chunk, given its state over all points: (1, n, D)."""
    h = chunk.read(store, case.x.device)  # (1, M, D)
    return halves.apply(index, h, total.sums, chunk.around(case.x.device))


def _stores(rows: int, like: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Room for h before and after a block, on the device of the weights or, if large, the host."""
    shape = (rows, len(like))
    large = 2 * prod(shape) * dtype.itemsize > DEVICE_STORE
    on_host = large and like.device.type != "cpu"
    device = torch.device("cpu") if on_host else like.device
    # pinned memory is copied from and to while the device computes
    first, second = (
        torch.empty(shape, dtype=dtype, device=device, pin_memory=on_host) for _ in range(2)
    )
    return first, second


def _wait_for(device: torch.device) -> None:
    """Copies from a device to the host return before they are done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
