"""What a training asks of its data: batches of some samples, given out by item number.

`batch` gives any items. A training asks for them in an order that it knows beforehand:
    schedule(order, sizes)   at the start of an epoch: the items (steps, B) of the coming steps,
                             and the size of each step's batch
    stage(size)              before every step: makes its batch ready
    batch(items, size)       within the step, without synchronization, so that a step can be
                             captured in a CUDA graph
A size is a number of points, to which ragged samples are cut, or a stride over a grid; None: all.
Samples of different sizes are padded to the largest and come with a mask.

Shapes: S samples, T times, B batch, N points, d space dimensions, K neighbors.
An item is what a batch counts: a sample, or on timed problems a sample at one time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.batch import Batch
from llt.data.dataset import Dataset
from llt.data.neighbors import Graph, radius_graphs
from llt.data.thinning import Stride

Size = int | Stride | None


class Source(ABC):
    """Some samples of a dataset in batches on a device."""

    strides: tuple[Stride, ...] = ()  # that batches may have, as often as they are to be drawn

    def __init__(
        self,
        data: Dataset,
        indices: NDArray[np.int64],
        device: torch.device,
        *,
        radius: float | None = None,
        max_neighbors: int = 0,
        among: int = 0,
    ) -> None:
        self.problem = data.problem
        self.device = device
        self.num_samples = len(indices)
        self.num_points = int(data.counts[indices].max())
        # points of every sample, where they differ
        self.counts = data.counts[indices] if data.ragged else None
        self.mesh: Tensor | None = None  # (N, d), where all samples of the dataset share it
        if data.mesh is not None:
            self.mesh = torch.from_numpy(data.mesh).to(device)
        self.times: Tensor | None = None
        if data.times is not None:
            self.times = torch.from_numpy(data.times.astype(np.float32)).to(device)
        self._graphs: Graph | None = None  # (S, N, K) on the host
        if max_neighbors and radius is not None:
            self._graphs = radius_graphs(data, indices, radius, max_neighbors, among)
        self.num_neighbors = 0 if self._graphs is None else self._graphs.shape[-1]

    @property
    def num_times(self) -> int:
        return 1 if self.times is None else len(self.times)

    @property
    def num_items(self) -> int:
        return self.num_samples * self.num_times

    def at(self, size: Size) -> Source:
        """The source of the batches of a size."""
        return self

    @abstractmethod
    def batch(self, items: Tensor, size: Size = None) -> Batch:
        """Items (B,), numbers below `num_items`."""

    @abstractmethod
    def schedule(self, order: NDArray[np.int64], sizes: Sequence[Size]) -> None:
        """Say what the coming steps will ask for."""

    @abstractmethod
    def stage(self, size: Size = None) -> None:
        """Make the next step's batch ready."""
