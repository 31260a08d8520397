"""Where batches come from: some samples of a dataset, given out by item number.

`batch` gives any items. A training asks for them in an order that it knows beforehand:
    schedule(order, sizes)   at the start of an epoch: the items (steps, B) of the coming steps,
                             and to how many points each step's samples are cut (None: all)
    stage(points)            before every step: makes its batch ready
    batch(items, points)     within the step, without synchronization, so that a step can be
                             captured in a CUDA graph
Samples of different sizes are padded to the largest and come with a mask.

Shapes: S samples, T times, B batch, N points, d space dimensions, K neighbors.
An item is what a batch counts: a sample, or on timed problems a sample at one time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.batch import Batch
from llt.data.dataset import Dataset
from llt.data.neighbors import radius_graphs


class Source(ABC):
    """Some samples of a dataset in batches on a device."""

    def __init__(self, data: Dataset, indices: NDArray[np.int64], device: torch.device) -> None:
        self.problem = data.problem
        self.device = device
        self.num_samples = len(indices)
        self.counts: NDArray[np.int64] | None = None  # points of every sample, where they differ
        if data.offsets is not None:
            self.counts = np.diff(data.offsets)[indices]
        self.num_points = int(data.outputs.shape[-2] if self.counts is None else self.counts.max())
        self.mesh: Tensor | None = None  # (N, d), where all samples of the dataset share it
        if data.shared_points:
            self.mesh = torch.from_numpy(data.points).to(device)
        self.times: Tensor | None = None
        if data.times is not None:
            self.times = torch.from_numpy(data.times.astype(np.float32)).to(device)

    @property
    def num_times(self) -> int:
        return 1 if self.times is None else len(self.times)

    @property
    def num_items(self) -> int:
        return self.num_samples * self.num_times

    @abstractmethod
    def batch(self, items: Tensor, points: int | None = None) -> Batch:
        """Items (B,), numbers below `num_items`; of ragged samples the first `points`."""

    def schedule(self, order: NDArray[np.int64], sizes: Sequence[int | None]) -> None:
        """Say what the coming steps will ask for."""
        return

    def stage(self, points: int | None = None) -> None:
        """Make the next step's batch ready."""
        return


class DeviceSource(Source):
    """Everything is on the device, and gathered there by item number."""

    def __init__(
        self,
        data: Dataset,
        indices: NDArray[np.int64],
        device: torch.device,
        *,
        radius: float | None = None,
        max_neighbors: int = 0,
    ) -> None:
        super().__init__(data, indices, device)
        self.mask: Tensor | None = None
        if data.ragged:
            x, a, u, mask = _padded(data, indices)
            self.mask = torch.from_numpy(mask).to(device)
        else:
            x = data.points if data.shared_points else data.points[indices]
            a, u = data.inputs[indices], data.outputs[indices]
        self.x, self.a, self.u = (torch.from_numpy(z).to(device) for z in (x, a, u))
        self.neighbors: Tensor | None = None
        if max_neighbors and radius is not None:
            graphs = radius_graphs(data, indices, radius, max_neighbors)
            self.neighbors = torch.from_numpy(graphs).to(device)

    def batch(self, items: Tensor, points: int | None = None) -> Batch:
        first = slice(points)
        if self.times is None:
            sample, u, t = items, self.u[:, first][items], None
        else:
            sample, moment = items // self.num_times, items % self.num_times
            u, t = self.u[:, :, first][sample, moment], self.times[moment]
        shared = self.mesh is not None
        return Batch(
            x=self.x.expand(len(items), -1, -1) if shared else self.x[:, first][sample],
            a=self.a[:, first][sample],
            u=u,
            t=t,
            neighbors=None if self.neighbors is None else self.neighbors[:, first][sample],
            mask=None if self.mask is None else self.mask[:, first][sample],
        )


def open_source(
    data: Dataset,
    indices: NDArray[np.int64],
    device: torch.device,
    *,
    radius: float | None = None,
    max_neighbors: int = 0,
    where: str = "auto",
) -> Source:
    """Samples of a dataset for a device, kept where they fit."""
    return DeviceSource(data, indices, device, radius=radius, max_neighbors=max_neighbors)


def _padded(data: Dataset, indices: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    samples = [data.sample(i) for i in indices]
    longest = max(len(sample.points) for sample in samples)

    def pad(array: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.pad(array, ((0, longest - len(array)), (0, 0)))

    mask = np.stack([np.arange(longest) < len(sample.points) for sample in samples])
    stacks = [
        np.stack([pad(getattr(s, name)) for s in samples])
        for name in ("points", "inputs", "outputs")
    ]
    return (*stacks, mask)
