"""A dataset on a device, and batches of it gathered there.

Everything is a tensor operation without synchronization, so that a training step can be captured
in a CUDA graph. Samples of different sizes are padded to the largest and come with a mask.

Shapes: S samples, T times, B batch, N points, d space dimensions, K neighbors, G symmetries.
An item is what a batch counts: a sample, or on timed problems a sample at one time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.dataset import Dataset
from llt.data.neighbors import radius_graphs
from llt.errors import DataError
from llt.problem import Problem, Symmetry


@dataclass(slots=True)
class Batch:
    """Tensors in physical units."""

    x: Tensor  # (B, N, d)
    a: Tensor  # (B, N, Ca)
    u: Tensor  # (B, N, Cu)
    t: Tensor | None = None  # (B,)
    neighbors: Tensor | None = None  # (B, N, K)
    mask: Tensor | None = None  # (B, N)

    def weights(self, problem: Problem) -> Tensor | None:
        """How much every squared error counts, (B, N, Cu); None where all count equally."""
        return None if self.mask is None else self.mask.unsqueeze(-1)


class DeviceData:
    """Some samples of a dataset, ready to be gathered into batches by item number."""

    def __init__(
        self,
        data: Dataset,
        indices: NDArray[np.int64],
        device: torch.device,
        *,
        radius: float | None = None,
        max_neighbors: int = 0,
    ) -> None:
        self.problem = data.problem
        self.num_samples = len(indices)
        self.mask: Tensor | None = None
        self.counts: NDArray[np.int64] | None = None  # points of every sample, where they differ
        if data.ragged:
            x, a, u, mask = _padded(data, indices)
            self.mask = torch.from_numpy(mask).to(device)
            self.counts = mask.sum(axis=1)
        else:
            x = data.points if data.shared_points else data.points[indices]
            a, u = data.inputs[indices], data.outputs[indices]
        self.x, self.a, self.u = (torch.from_numpy(z).to(device) for z in (x, a, u))
        self.times = None
        if data.times is not None:
            self.times = torch.from_numpy(data.times.astype(np.float32)).to(device)
        self.neighbors: Tensor | None = None
        if max_neighbors and radius is not None:
            graphs = radius_graphs(data, indices, radius, max_neighbors)
            self.neighbors = torch.from_numpy(graphs).to(device)

    @property
    def num_times(self) -> int:
        return 1 if self.times is None else len(self.times)

    @property
    def num_items(self) -> int:
        return self.num_samples * self.num_times

    @property
    def num_points(self) -> int:
        return self.u.shape[-2]

    def batch(self, items: Tensor, points: int | None = None) -> Batch:
        """Gather items (B,), numbers below `num_items`; of ragged samples the first `points`."""
        first = slice(points)
        if self.times is None:
            sample, u, t = items, self.u[:, first][items], None
        else:
            sample, moment = items // self.num_times, items % self.num_times
            u, t = self.u[:, :, first][sample, moment], self.times[moment]
        shared = self.x.ndim == 2
        return Batch(
            x=self.x.expand(len(items), -1, -1) if shared else self.x[:, first][sample],
            a=self.a[:, first][sample],
            u=u,
            t=t,
            neighbors=None if self.neighbors is None else self.neighbors[:, first][sample],
            mask=None if self.mask is None else self.mask[:, first][sample],
        )


class Augmentation:
    """The exact symmetries of a problem as tables, so that a batch can pick one per sample."""

    def __init__(self, data: DeviceData) -> None:
        problem, device = data.problem, data.x.device
        if not problem.symmetries:
            raise DataError(f"{problem.name} declares no symmetries: train without augment")
        d = problem.space_dim
        identity = Symmetry(
            name="identity", matrix=tuple(map(tuple, np.eye(d).tolist())), offset=(0.0,) * d
        )
        group = (identity, *problem.symmetries)
        self.num_symmetries = len(group)
        table = [_permutation(symmetry, problem) for symmetry in group]
        self.order = None if table[0] is None else torch.from_numpy(np.stack(table)).to(device)  # type: ignore[arg-type]
        self.matrix = torch.tensor([s.matrix for s in group], device=device)  # (G, d, d)
        self.offset = torch.tensor([s.offset for s in group], device=device)
        self.input_signs = _signs([s.input_signs for s in group], problem.in_channels, device)
        self.output_signs = _signs([s.output_signs for s in group], problem.out_channels, device)
        # a symmetry that takes the shared mesh onto itself needs no new coordinates
        self.moves_points = data.x.ndim == 3 or not self._keeps(data.x)

    def __call__(self, batch: Batch, choice: Tensor) -> Batch:
        """Apply symmetry `choice` (B,) to each sample; 0 is the identity."""
        x, a, u = batch.x, batch.a, batch.u
        if self.order is not None:
            rows = self.order[choice].unsqueeze(-1)  # (B, N, 1)
            a, u = (z.gather(1, rows.expand(-1, -1, z.shape[-1])) for z in (a, u))
            if self.moves_points:
                x = x.gather(1, rows.expand(-1, -1, x.shape[-1]))
        if self.moves_points:
            x = x @ self.matrix[choice].mT + self.offset[choice].unsqueeze(1)
        return Batch(
            x=x,
            a=a * self.input_signs[choice].unsqueeze(1),
            u=u * self.output_signs[choice].unsqueeze(1),
            t=batch.t,
            neighbors=batch.neighbors,
            mask=batch.mask,
        )

    def _keeps(self, x: Tensor) -> bool:
        if self.order is None:
            return False
        moved = x[self.order] @ self.matrix.mT + self.offset.unsqueeze(1)
        return torch.allclose(moved, x.expand_as(moved), atol=1e-5 * float(x.abs().max()))


def _permutation(symmetry: Symmetry, problem: Problem) -> NDArray[np.int64] | None:
    """Where the value at every grid point comes from; None on point sets, which do not move."""
    if problem.grid is None:
        return None
    index = np.arange(problem.num_points or 0).reshape(problem.grid)
    if symmetry.axes:
        index = index.transpose(symmetry.axes)
    if index.shape != problem.grid:
        raise DataError(f"{problem.name}: symmetry {symmetry.name} does not fit {problem.grid}")
    return np.flip(index, symmetry.flip).reshape(-1).copy()


def _signs(signs: list[tuple[float, ...]], channels: int, device: torch.device) -> Tensor:
    return torch.tensor([s or (1.0,) * channels for s in signs], device=device)


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
