"""Radius graphs on a GPU: cell lists, with the graph that a KD-tree gives on the CPU.

Points are sorted by the cells of a grid as wide as the radius, so that the neighbors of a point lie
in a few runs of points. Where points are crowded, a radius is far more than the nearest K need:
the search begins with a small one and goes on with twice as much for those that have found fewer.

Shapes: N points, Q of them asked at once, d space dimensions, K neighbors, C candidates.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import torch
from torch import Tensor

CANDIDATES = 2**24  # looked at together, 24 bytes each
CROWDED = 0.5  # times K: points in a cell from which on a smaller radius is tried first
TRIALS = 16
WIDEST = 2**20  # cells along an axis, so that three of them fit into a key
STRAYS = 100  # one point of so many may be far from the others, at either end of an axis
TINY = torch.finfo(torch.float64).tiny


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
        for places in cells.batches(open_):
            points = cells.order[places]
            distance, index = cells.nearest(places, max_neighbors)
            near = torch.where(distance <= reach, index, -1)
            full = (near[:, -1] >= 0) if near.shape[1] == max_neighbors else near[:, 0] < 0
            done = full | (reach >= radius)
            graph[points[done], : near.shape[1]] = near[done].int()
            left.append(points[~done])
        open_, reach = torch.cat(left), 2 * reach
    used = int((graph >= 0).sum(1).max())
    return graph[:, :used].contiguous()


def _first_radius(x: Tensor, radius: float, K: int) -> float:
    """So small that points have about twice as many others in reach as are asked for.

    A search takes its time for all candidates in the cells around.
    """
    for _ in range(TRIALS):
        crowd = _Cells(x, radius).crowd / (CROWDED * K)
        if crowd <= 1:
            break
        # a cell of half the width may hold as many, where most points are in few places
        radius *= max(0.5, (0.9 / crowd) ** (1 / x.shape[1]))
    return radius


def _box(x: Tensor, widest: float) -> tuple[Tensor, Tensor]:
    """Where cells are: around all points, or, where that is too wide for them, around nearly all.

    Strays belong to the cells at its border: moved there, points are no farther from each other.
    """
    low, high = x.amin(0), x.amax(0)
    if (high - low).max() > widest:
        ordered, few = x.sort(dim=0).values, len(x) // STRAYS
        low, high = ordered[few], ordered[-1 - few]
    return low, high


class _Cells:
    """Points sorted by cells; a place is a number in that order."""

    def __init__(self, x: Tensor, width: float) -> None:
        x = x.double()  # differences of float32 numbers are exact in it, nearly
        low, high = _box(x, WIDEST * width)
        # wider than the radius by more than rounding, not too many, and not nothing
        width = max(width * (1 + 1e-9), (high - low).max().item() / WIDEST, TINY)
        # an empty cell at each end, so that no neighbor of a cell is on another row
        cell = ((x.clamp(low, high) - low) / width).floor().long() + 1
        size = cell.amax(0) + 2
        self.strides = size.flip(0).cumprod(0).flip(0) // size
        self.keys, self.order = (cell * self.strides).sum(1).sort(stable=True)
        # one axis after the other: a run of points is read in one piece
        self.axes = x[self.order].T.contiguous().unbind(0)
        offsets = torch.tensor([*product((-1, 0, 1), repeat=x.shape[1] - 1)], device=x.device)
        # cells that follow each other on a row are one run of points
        self.rows = (offsets * self.strides[:-1]).sum(1)

    @property
    def crowd(self) -> float:
        """How many points are in the cell of a point, in the mean over all points."""
        counts = self.keys.unique_consecutive(return_counts=True)[1].double()
        return float(counts.square().sum() / counts.sum())

    def batches(self, points: Tensor) -> Iterator[Tensor]:
        """Places of points to ask for together: those whose runs are about as long.

        Room is taken for the longest run of a batch, so that a crowd would make all pay.
        """
        asked = torch.zeros(len(self.order), dtype=torch.bool, device=points.device)
        asked[points] = True
        places = asked[self.order].nonzero().squeeze(1)
        longest, order = self._runs(places)[1].amax(1).sort(descending=True, stable=True)
        places, lengths, start = places[order], longest.cpu(), 0
        while start < len(places):
            width = max(1, int(lengths[start])) * len(self.rows)
            stop = start + max(1, CANDIDATES // width)
            yield places[start:stop]
            start = stop

    def nearest(self, places: Tensor, K: int) -> tuple[Tensor, Tensor]:
        """Distances and indices (Q, K) of the nearest points in the cells around, in order.

        Where there are fewer, distances are infinite.
        """
        starts, counts = self._runs(places)
        step = torch.arange(max(1, int(counts.max())), dtype=starts.dtype, device=places.device)
        there = (starts.unsqueeze(-1) + step).flatten(1)  # (Q, C)
        there.clamp_(max=len(self.order) - 1)
        distance = self._squares(places, there).sqrt_()
        distance.masked_fill_(there == places.unsqueeze(1), -1.0)  # a point comes first
        distance.masked_fill_((step >= counts.unsqueeze(-1)).flatten(1), torch.inf)
        return self._smallest(distance, there, min(K, there.shape[1]))

    def _runs(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Where the runs of points around begin and how long they are, (Q, runs)."""
        middle = self.keys[places].unsqueeze(1) + self.rows
        first = torch.searchsorted(self.keys, middle - 1, out_int32=True)
        end = torch.searchsorted(self.keys, middle + 1, right=True, out_int32=True)
        return first, end - first

    def _squares(self, places: Tensor, there: Tensor) -> Tensor:
        """Squared distances (Q, C). In place: time goes into reading and writing candidates."""
        total: Tensor | None = None
        for z in self.axes:
            apart = z.index_select(0, there.flatten()).view_as(there)
            apart.sub_(z[places].unsqueeze(1)).square_()
            total = apart if total is None else total.add_(apart)
        assert total is not None
        return total

    def _smallest(self, distance: Tensor, there: Tensor, K: int) -> tuple[Tensor, Tensor]:
        """The K smallest distances in order and their indices, of equal ones the smaller ones."""
        found, at = distance.topk(K, largest=False)
        chosen = self.order[there.gather(1, at).long()]
        last = found[:, -1:]
        tied = ((distance <= last).sum(1) > K) & last.squeeze(1).isfinite()
        if tied.any():
            d, i = distance[tied], self.order[there[tied].long()]
            big = torch.iinfo(i.dtype).max
            # first those that are nearer, then those at the last distance by their indices
            rank = torch.where(d < last[tied], -1, torch.where(d == last[tied], i, big))
            at = rank.topk(K, dim=1, largest=False).indices
            found[tied], chosen[tied] = d.gather(1, at), i.gather(1, at)
        # by index first, then by distance, which keeps that order
        chosen, at = chosen.sort(dim=1)
        found, order = found.gather(1, at).sort(dim=1, stable=True)
        return found, chosen.gather(1, order)
