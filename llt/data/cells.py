"""Radius graphs on a GPU: cell lists, with the graph that a KD-tree gives on the CPU.

Points are sorted by the cells of a grid as wide as the radius, so that the neighbors of a point lie
in a few runs of points. Where points are crowded, a radius is far more than the nearest K need:
the search begins with a small one and goes on with twice as much for those that have found fewer.

Shapes: N points, Q of them asked at once, d space dimensions, K neighbors, C candidates.
"""

from __future__ import annotations

from itertools import product

import torch
from torch import Tensor

CANDIDATES = 2**24  # looked at together, 16 bytes each
CROWDED = 4  # times K: points in a cell from which on a smaller radius is tried first
HALVINGS = 16
WIDEST = 2**20  # cells along an axis, so that three of them fit into a key


def cell_graph(x: Tensor, radius: float, max_neighbors: int) -> Tensor:
    """As `radius_graph`: indices (N, K), nearest first, -1 where there are fewer; on x's device.

    K is the largest number of neighbors that a point has, `max_neighbors` at most. Among points of
    equal distance those with smaller indices come first.
    """
    N = len(x)
    graph = torch.full((N, max_neighbors), -1, dtype=torch.int32, device=x.device)
    open_ = torch.arange(N, device=x.device)
    reach = _first_radius(x, radius, max_neighbors)
    while len(open_):
        reach = min(reach, radius)
        cells = _Cells(x, reach)
        left = []
        for points in cells.batches(open_):
            distance, index = cells.nearest(points, max_neighbors)
            near = torch.where(distance <= reach, index, -1)
            full = (near[:, -1] >= 0) if near.shape[1] == max_neighbors else near[:, 0] < 0
            done = full | (reach >= radius)
            graph[points[done], : near.shape[1]] = near[done].int()
            left.append(points[~done])
        open_, reach = torch.cat(left), 2 * reach
    used = int((graph >= 0).sum(1).max())
    return graph[:, :used].contiguous()


def _first_radius(x: Tensor, radius: float, K: int) -> float:
    """So small that no cell holds far more than K points, or as small as it is tried."""
    for _ in range(HALVINGS):
        if _Cells(x, radius).largest <= CROWDED * K:
            break
        radius /= 2
    return radius


class _Cells:
    """Points sorted by cells."""

    def __init__(self, x: Tensor, width: float) -> None:
        self.x = x.double()  # differences of float32 numbers are exact in it, nearly
        low, high = self.x.amin(0), self.x.amax(0)
        # wider than the radius by more than rounding, and not too many
        width = max(width * (1 + 1e-9), (high - low).max().item() / WIDEST)
        # an empty cell at each end, so that no neighbor of a cell is on another row
        place = ((self.x - low) / width).floor().long() + 1
        size = place.amax(0) + 2
        self.strides = size.flip(0).cumprod(0).flip(0) // size
        self.keys, self.order = (place * self.strides).sum(1).sort(stable=True)
        offsets = torch.tensor([*product((-1, 0, 1), repeat=x.shape[1] - 1)], device=x.device)
        # cells that follow each other on a row are one run of points
        self.rows = (offsets * self.strides[:-1]).sum(1)
        self.key_of = torch.empty_like(self.keys).index_copy_(0, self.order, self.keys)

    @property
    def largest(self) -> int:
        """Points in the fullest cell."""
        return int(self.keys.unique_consecutive(return_counts=True)[1].max())

    def batches(self, points: Tensor) -> list[Tensor]:
        """Points to ask for together, those of a cell beside each other."""
        asked = torch.zeros(len(self.x), dtype=torch.bool, device=points.device)
        asked[points] = True
        points = self.order[asked[self.order]]
        _, counts = self._runs(points)
        width = int(counts.max()) * counts.shape[1]
        return [*points.split(max(1, CANDIDATES // max(1, width)))]

    def nearest(self, points: Tensor, K: int) -> tuple[Tensor, Tensor]:
        """Distances and indices (Q, K) of the nearest points in the cells around, in order."""
        starts, counts = self._runs(points)
        step = torch.arange(max(1, int(counts.max())), device=points.device)
        at = (starts.unsqueeze(-1) + step).clamp(max=len(self.x) - 1)
        index = self.order[at]
        index = torch.where(step < counts.unsqueeze(-1), index, -1).flatten(1)  # (Q, C)
        squares = sum(
            (z[index.clamp(min=0)] - z[points].unsqueeze(1)).square() for z in self.x.unbind(1)
        )
        assert isinstance(squares, Tensor)
        distance = squares.sqrt().masked_fill_(index < 0, torch.inf)
        distance.masked_fill_(index == points.unsqueeze(1), -1.0)  # a point comes first
        return _smallest(distance, index, min(K, index.shape[1]))

    def _runs(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """Where the runs of points around begin and how long they are, (Q, runs)."""
        middle = self.key_of[points].unsqueeze(1) + self.rows
        first = torch.searchsorted(self.keys, middle - 1)
        return first, torch.searchsorted(self.keys, middle + 1, right=True) - first


def _smallest(distance: Tensor, index: Tensor, K: int) -> tuple[Tensor, Tensor]:
    """The K smallest distances and their indices in order, of equal ones the smaller indices."""
    found, at = distance.topk(K, largest=False)
    chosen = index.gather(1, at)
    last = found[:, -1:]
    tied = ((distance <= last).sum(1) > K) & last.squeeze(1).isfinite()
    if tied.any():
        d, i = distance[tied], index[tied]
        big = torch.iinfo(i.dtype).max
        # first those that are nearer, then those at the last distance by their indices
        rank = torch.where(d < last[tied], -1, torch.where(d == last[tied], i, big))
        at = rank.topk(K, dim=1, largest=False).indices
        found[tied], chosen[tied] = d.gather(1, at), i.gather(1, at)
    # by index first, then by distance, which keeps that order
    chosen, at = chosen.sort(dim=1)
    found, order = found.gather(1, at).sort(dim=1, stable=True)
    return found, chosen.gather(1, order)
