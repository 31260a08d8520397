"""The exact symmetries of a problem, applied to batches.

Shapes: B batch, N points, d space dimensions, G symmetries, the identity included.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.batch import Batch
from llt.data.sources import Source
from llt.errors import DataError
from llt.problem import Problem, Symmetry


class Augmentation:
    """The exact symmetries of a problem as tables, so that a batch can pick one per sample."""

    def __init__(self, data: Source) -> None:
        problem, device = data.problem, data.device
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
        self.moves_points = data.mesh is None or not self._keeps(data.mesh)

    def __call__(self, batch: Batch, choice: Tensor) -> Batch:
        """Apply symmetry `choice` (B,) to each sample; 0 is the identity."""
        x, a, u, masks = batch.x, batch.a, batch.u, batch.masks
        if self.order is not None:
            masks = {name: mask.gather(1, self.order[choice]) for name, mask in masks.items()}
            rows = self.order[choice].unsqueeze(-1)  # (B, N, 1)
            a, u = (z.gather(1, rows.expand(-1, -1, z.shape[-1])) for z in (a, u))
            if self.moves_points:
                x = x.gather(1, rows.expand(-1, -1, x.shape[-1]))
        if self.moves_points:
            x = x @ self.matrix[choice].mT + self.offset[choice].unsqueeze(1)
        return replace(
            batch,
            x=x,
            a=a * self.input_signs[choice].unsqueeze(1),
            u=u * self.output_signs[choice].unsqueeze(1),
            masks=masks,
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
