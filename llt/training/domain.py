"""Meshes cut into parts, one for each process of a domain: grids by rows, point sets in space.

The cut of a grid follows from its shape. That of a point set is made once for every sample: its
points in an order in space, in equal parts; who reads whose points follows from the graph. Room
for them is the same in all samples, so that a step always sends the same numbers of points.

Shapes: S samples, N points, R parts, n own points, K neighbors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from math import ceil, prod

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from llt.data.batch import Batch
from llt.data.dataset import Dataset
from llt.data.neighbors import radius_graphs
from llt.errors import ConfigError
from llt.models.llt import LLT
from llt.models.llt.block import Neighborhood
from llt.models.llt.order import spatial_order
from llt.models.llt.parallel import Part
from llt.runtime.collectives import Halo, summed_alike
from llt.runtime.team import Team
from llt.surrogate import Surrogate
from llt.training.loss.relative_l2 import Whole, alone

Table = NDArray[np.int64]


def whole_norms(team: Team) -> Whole:
    """Norms over meshes from those over their parts."""

    def whole(norms: Tensor) -> Tensor:
        squares = summed_alike(norms.square(), team.domain_group)
        # the gradient of a norm that is zero is zero
        return torch.where(squares > 0, squares, 1.0).sqrt() * (squares > 0)

    return whole if team.domain > 1 else alone


def part_of(batch: Batch, part: Part) -> Batch:
    """What the loss sees of a batch: the points that are read, of which the own ones count."""
    own, mask = part.around.rows, part.mask
    if mask is not None:  # what fills up the halo is read by nobody
        mask = F.pad(mask, (0, sum(part.halo.coming)), value=True)
    return replace(
        batch,
        x=part.cut(batch.x),
        a=part.cut(batch.a),
        u=part.cut(batch.u),
        masks={name: part.cut(mask) for name, mask in batch.masks.items()},
        mask=mask,
        neighbors=part.around.neighbors,
        grid=part.around.grid,
        own=own,
    )


class Rows:
    """Parts of grids: strips of rows along the first axis, with the rows that they read."""

    def __init__(self, model: LLT, team: Team) -> None:
        self.team = team
        # derivatives in the loss read one row
        self.reach = max(model.embedder.reach, model.about.reach, 1)
        self._parts: dict[tuple[int, ...], Part] = {}

    def check(self, grids: Iterable[tuple[int, ...] | None]) -> None:
        """Refuse grids with fewer rows than their parts need."""
        for grid in grids:
            assert grid is not None
            fewest = min(np.diff(self._edges(grid)))
            if fewest < self.reach:
                raise ConfigError(
                    f"parallel.domain={self.team.domain}: a part of a grid of {grid[0]} rows has "
                    f"{fewest}, fewer than the {self.reach} that its neighbors read; at most "
                    f"{grid[0] // self.reach}"
                )

    def _edges(self, grid: tuple[int, ...]) -> list[int]:
        """The first row of every part, and the end."""
        return [part * grid[0] // self.team.domain for part in range(self.team.domain + 1)]

    def part(self, batch: Batch, samples: Tensor) -> Part:
        assert batch.grid is not None
        if batch.grid not in self._parts:
            self._parts[batch.grid] = self._cut(batch.grid, batch.x.device)
        return self._parts[batch.grid]

    def _cut(self, grid: tuple[int, ...], device: torch.device) -> Part:
        team, width = self.team, prod(grid[1:])
        start, stop = self._edges(grid)[team.part : team.part + 2]
        low, high = max(0, start - self.reach), min(grid[0], stop + self.reach)
        each, num = self.reach * width, (stop - start) * width
        own = torch.arange(num, device=device)
        neighbors = {team.part - 1: own[:each], team.part + 1: own[num - each :]}
        there = {part: rows for part, rows in neighbors.items() if 0 <= part < team.domain}
        counts = [len(there.get(part, ())) for part in range(team.domain)]
        before = (start - low) * width
        return Part(
            team.domain_group,
            Halo(team.domain_group, torch.cat([*there.values()])[None], counts, counts, before),
            Neighborhood((high - low, *grid[1:]), None, slice(before, before + num)),
            slice(low * width, high * width),
            grid,
            slice(start * width, stop * width),
        )


class Regions:
    """Parts of point sets: regions of equal numbers of points, with the points that they read."""

    def __init__(
        self, surrogate: Surrogate, data: Dataset, indices: NDArray[np.int64], team: Team
    ) -> None:
        self.team, device = team, surrogate.device
        fewest = int(data.counts[indices].min())
        if fewest < team.domain:
            raise ConfigError(
                f"parallel.domain={team.domain}: a sample has only {fewest} points to share out"
            )
        assert surrogate.radius is not None
        graphs = radius_graphs(
            data, indices, surrogate.radius, surrogate.model.max_neighbors, surrogate.points
        )
        cuts = [
            _Cut(data.sample(index).points, graphs[row], team.domain)
            for row, index in enumerate(indices)
        ]
        room = np.max([cut.counts for cut in cuts], axis=0)  # (R, R): from whom, to whom
        me, self.most = team.part, ceil(int(data.counts[indices].max()) / team.domain)
        self.counts, self.coming = room[me].tolist(), room[:, me].tolist()

        def table(rows: Sequence[Table]) -> Tensor:
            return torch.from_numpy(np.stack(rows)).to(device)

        self.send = table([cut.sent(me, self.counts) for cut in cuts])
        self.points = table([cut.read(me, self.most, self.coming) for cut in cuts])
        self.neighbors = table([cut.neighbors(me, self.most, self.coming) for cut in cuts])
        self.own = torch.tensor([len(cut.own[me]) for cut in cuts], device=device)

    def part(self, batch: Batch, samples: Tensor) -> Part:
        # a batch may be cut to fewer points than the largest sample has
        most = ceil(batch.x.shape[1] / self.team.domain)
        points, neighbors = self.points[samples], self.neighbors[samples, :most]
        neighbors = torch.where(neighbors >= self.most, neighbors - self.most + most, neighbors)
        mask = torch.arange(most, device=points.device) < self.own[samples, None]
        group = self.team.domain_group
        return Part(
            group,
            Halo(group, self.send[samples], self.counts, self.coming),
            Neighborhood(None, neighbors, slice(0, most)),
            torch.cat((points[:, :most], points[:, self.most :]), dim=1),
            mask=mask,
        )


class _Cut:
    """A sample's points in R parts, and which points of the others each reads."""

    def __init__(self, x: NDArray[np.float32], graph: NDArray[np.int32], parts: int) -> None:
        order = spatial_order(torch.from_numpy(x)).numpy()
        num = len(order)
        self.edges = [part * num // parts for part in range(parts + 1)]
        self.own = [order[a:b] for a, b in zip(self.edges, self.edges[1:], strict=False)]
        place = np.full(num + 1, -1)  # its last entry is that of index -1, no neighbor
        place[order] = np.arange(num)
        self.order = order
        self.tables = [place[graph[rows]] for rows in self.own]  # (n, K), places in the order
        # read from others, in the order and so part by part
        self.halos = [
            np.unique(table[(table >= b) | (table < a) & (table >= 0)])
            for table, a, b in zip(self.tables, self.edges, self.edges[1:], strict=False)
        ]

    @property
    def counts(self) -> Table:
        """How many points go from one part to another, (R, R)."""
        columns = [np.diff(np.searchsorted(halo, self.edges)) for halo in self.halos]
        return np.stack(columns, axis=1)

    def _between(self, source: int, target: int) -> Table:
        """Places of points of one part that another reads."""
        halo = self.halos[target]
        start, stop = np.searchsorted(halo, self.edges[source : source + 2])
        return halo[start:stop]

    def sent(self, part: int, room: Sequence[int]) -> Table:
        """Own points that others read, those for the first part first; room is filled up."""
        lists = [self._between(part, target) - self.edges[part] for target in range(len(room))]
        return _filled(lists, room)

    def read(self, part: int, most: int, room: Sequence[int]) -> Table:
        """Points of the sample: the own ones, then the halo."""
        lists = [self.order[self._between(source, part)] for source in range(len(room))]
        return np.concatenate([_filled([self.own[part]], [most]), _filled(lists, room)])

    def neighbors(self, part: int, most: int, room: Sequence[int]) -> Table:
        """Of the own points among those that are read, (most, K)."""
        local = np.full(self.edges[-1] + 1, -1)
        local[self.edges[part] : self.edges[part + 1]] = np.arange(len(self.own[part]))
        for source, start in enumerate(accumulate(room, initial=most)):
            if source < len(room):
                places = self._between(source, part)
                local[places] = start + np.arange(len(places))
        found = local[self.tables[part]]
        empty = np.full((most - len(found), found.shape[1]), -1)
        return np.concatenate([found, empty])


def _filled(lists: Sequence[Table], room: Sequence[int]) -> Table:
    pairs = zip(lists, room, strict=True)
    return np.concatenate([np.pad(rows, (0, most - len(rows))) for rows, most in pairs])
