"""Samples that are on the device, all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.batch import Batch
from llt.data.dataset import Dataset
from llt.data.sources.base import Size, Source


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
        among: int = 0,
    ) -> None:
        super().__init__(
            data, indices, device, radius=radius, max_neighbors=max_neighbors, among=among
        )
        num, size = self.num_samples, self.num_points
        moments = () if self.times is None else (self.num_times,)

        def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros((num, *shape), dtype=dtype, device=device)

        x = None if self.mesh is not None else zeros(size, self.problem.space_dim)
        self.a = zeros(*(moments if data.timed_inputs else ()), size, self.problem.in_channels)
        self.u = zeros(*moments, size, self.problem.out_channels)
        self.masks = {name: zeros(size, dtype=torch.bool) for name in self.problem.mask_names}
        # sample by sample, so that the host never holds them all
        for row, sample in enumerate(map(data.sample, indices)):
            own = slice(len(sample.points))
            self.a[row, ..., own, :] = torch.from_numpy(sample.given)
            self.u[row, ..., own, :] = torch.from_numpy(sample.outputs)
            if x is not None:
                x[row, own] = torch.from_numpy(sample.points)
            for name, mask in self.masks.items():
                mask[row, own] = torch.from_numpy(sample.masks[name])
        self.x = x
        self.mask: Tensor | None = None
        if self.counts is not None:
            self.mask = torch.from_numpy(np.arange(size) < self.counts[:, None]).to(device)
        self.neighbors: Tensor | None = None
        if self._graphs is not None:
            self.neighbors = torch.from_numpy(np.array(self._graphs)).to(device)
            self._graphs = None

    def batch(self, items: Tensor, size: Size = None) -> Batch:
        first = slice(size)
        if self.times is None:
            sample, u, t = items, self.u[:, first][items], None
        else:
            sample, moment = items // self.num_times, items % self.num_times
            u = self.u[:, :, first][sample, moment]
            t = self.times[moment] if self.problem.timed else None
        timed = self.a.ndim == 4
        a = self.a[:, :, first][sample, moment] if timed else self.a[:, first][sample]
        if self.x is None:
            assert self.mesh is not None
            x = self.mesh.expand(len(items), -1, -1)
        else:
            x = self.x[:, first][sample]
        return Batch(
            x=x,
            a=a,
            u=u,
            t=t,
            neighbors=None if self.neighbors is None else self.neighbors[:, first][sample],
            mask=None if self.mask is None else self.mask[:, first][sample],
            masks={name: mask[:, first][sample] for name, mask in self.masks.items()},
            grid=self.problem.grid,
        )

    def schedule(self, order: NDArray[np.int64], sizes: Sequence[Size]) -> None:
        pass

    def stage(self, size: Size = None) -> None:
        pass
