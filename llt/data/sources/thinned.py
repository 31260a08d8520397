"""Batches on several grids of the same samples: one source for every stride."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from llt.data.batch import Batch
from llt.data.sources.base import Size, Source
from llt.data.thinning import Stride


class ThinnedSource(Source):
    """Asked for a batch of a stride, it asks the source of that stride."""

    def __init__(self, parts: Mapping[Stride, Source], strides: Sequence[Stride]) -> None:
        """`strides` as often as they are to be drawn; what is said of the data is of the first."""
        base = parts[strides[0]]
        self.parts, self.strides = parts, tuple(strides)
        self.problem, self.device = base.problem, base.device
        self.num_samples, self.num_points = base.num_samples, base.num_points
        self.counts, self.mesh, self.times = base.counts, base.mesh, base.times
        self.num_neighbors = base.num_neighbors

    def at(self, size: Size) -> Source:
        return self.parts[size] if isinstance(size, tuple) else self.parts[self.strides[0]]

    def batch(self, items: Tensor, size: Size = None) -> Batch:
        return self.at(size).batch(items)

    def schedule(self, order: NDArray[np.int64], sizes: Sequence[Size]) -> None:
        for stride, part in self.parts.items():
            own = [step for step, size in enumerate(sizes) if size == stride]
            part.schedule(order[own], [None] * len(own))

    def stage(self, size: Size = None) -> None:
        """None makes ready those of all strides."""
        for stride, part in self.parts.items():
            if size in (None, stride):
                part.stage()
