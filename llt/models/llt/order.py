"""Points in an order in which those near in space are near in memory.

Whoever reads neighbors then finds them in the cache. The order of points means nothing to LLT, so
that it may change inside and is what it was outside.

Shapes: B batch, N points, d space dimensions, K neighbors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from scipy.spatial import cKDTree
from torch import Tensor

MORTON_BITS = 20  # of a coordinate: those of three fit into 64
WORTH = 2**12  # points from which on the cache is too small for their keys and values


class Order(NamedTuple):
    """Where points stand inside, and where they stood."""

    rows: Tensor  # (B, N): number outside of each point inside
    places: Tensor  # (B, N): the reverse

    @classmethod
    def of(cls, x: Tensor) -> Order:
        """That of points (B, N, d), each sample its own."""
        rows = torch.stack([spatial_order(points) for points in x])
        return cls(rows, rows.argsort(dim=1))

    def inside(self, z: Tensor) -> Tensor:
        """(B, N, ...) as it stands inside."""
        return _taken(z, self.rows)

    def outside(self, z: Tensor) -> Tensor:
        return _taken(z, self.places)

    def renumbered(self, neighbors: Tensor) -> Tensor:
        """The lists (B, N, K), -1 where there are fewer, of the points inside."""
        own = self.inside(neighbors)
        found = self.places.gather(1, own.clamp(min=0).flatten(1).long()).view_as(own)
        return torch.where(own < 0, -1, found.to(own.dtype))


def _taken(z: Tensor, index: Tensor) -> Tensor:
    return torch.stack([part[rows] for part, rows in zip(z, index, strict=True)])


def spatial_order(x: Tensor) -> Tensor:
    """An order of the points (N, d) in which those near in space are near each other."""
    if x.is_cuda:
        return morton_order(x)
    # a KD-tree sorts the points box by box; boxes far smaller than a chunk are not needed
    # (a copy: newer versions of scipy lend theirs to be read only)
    return torch.from_numpy(np.array(cKDTree(x.detach().double().numpy(), leafsize=256).indices))


def morton_order(x: Tensor) -> Tensor:
    """By the bits of all coordinates in turn, the first ones first."""
    low, high = x.amin(0), x.amax(0)
    most = 2**MORTON_BITS - 1
    places = ((x - low) / (high - low).max().clamp(min=1e-30) * most).long().clamp(0, most)
    code = torch.zeros_like(places[:, 0])
    for bit in range(MORTON_BITS - 1, -1, -1):
        for axis in range(x.shape[1]):
            code = 2 * code + ((places[:, axis] >> bit) & 1)
    return code.sort(stable=True).indices
