"""The group of a problem's symmetries as tables, applied to tensors of many samples at once.

Element 0 is the identity. The value at point i of a moved sample comes from point `order[g, i]`;
on point sets every point keeps its place, its values and its neighbors, and only coordinates move.

Shapes: B samples, N points, d space dimensions, G elements of the group, C channels.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.errors import DataError
from llt.problem import Problem, Symmetry


class Group:
    """The symmetries of a problem on one grid; `choice` (B,) takes one of them per sample."""

    def __init__(self, problem: Problem, grid: tuple[int, ...] | None, device: torch.device):
        if not problem.symmetries:
            raise DataError(
                f"{problem.name} declares no symmetries: train without augment, "
                "predict and evaluate without symmetrize"
            )
        elements = (_identity(problem.space_dim), *problem.symmetries)
        self.size = len(elements)
        self.order: Tensor | None = None  # (G, N)
        self.inverse: Tensor | None = None
        if grid is not None:
            table = np.stack([_permutation(element, grid, problem.name) for element in elements])
            self.order = torch.from_numpy(table).to(device)
            self.inverse = self.order.argsort(1)
        self.matrix = torch.tensor([e.matrix for e in elements], device=device)  # (G, d, d)
        self.offset = torch.tensor([e.offset for e in elements], device=device)  # (G, d)
        self.input_signs = _table(
            [e.input_signs for e in elements], problem.in_channels, device, 1.0
        )
        channels = problem.out_channels
        self.output_signs = _table([e.output_signs for e in elements], channels, device, 1.0)
        self.output_shifts = _table([e.output_shifts for e in elements], channels, device, 0.0)
        self.numbers = torch.arange(self.size, device=device)

    def move_points(self, x: Tensor, choice: Tensor) -> Tensor:
        """Coordinates (B, N, d) to matrix @ x + offset, each at its new place in the grid."""
        x = rearranged(x, self.order, choice)
        # not a matrix product: TF32 would round the coordinates to three digits
        turned = (self.matrix[choice].unsqueeze(1) * x.unsqueeze(-2)).sum(-1)
        return turned + self.offset[choice].unsqueeze(1)

    def move_inputs(self, a: Tensor, choice: Tensor) -> Tensor:
        return rearranged(a, self.order, choice) * self.input_signs[choice].unsqueeze(1)

    def move_outputs(self, u: Tensor, choice: Tensor) -> Tensor:
        moved = rearranged(u, self.order, choice) * self.output_signs[choice].unsqueeze(1)
        return moved + self.output_shifts[choice].unsqueeze(1)

    def move_outputs_back(self, u: Tensor, choice: Tensor) -> Tensor:
        """The inverse of `move_outputs`: a sign is its own inverse."""
        there = u - self.output_shifts[choice].unsqueeze(1)
        return rearranged(there, self.inverse, choice) * self.output_signs[choice].unsqueeze(1)

    def keeps(self, mesh: Tensor) -> bool:
        """Whether every symmetry takes a mesh (N, d) onto itself, so that no point moves."""
        if self.order is None:
            return False
        moved = self.move_points(mesh.expand(self.size, -1, -1), self.numbers)
        return torch.allclose(moved, mesh.expand_as(moved), atol=1e-5 * float(mesh.abs().max()))


@lru_cache(maxsize=8)
def group_tables(problem: Problem, grid: tuple[int, ...] | None, device: torch.device) -> Group:
    """The tables of a problem on a grid; those used last are kept."""
    return Group(problem, grid, device)


def fits(problem: Problem, grid: tuple[int, ...] | None) -> bool:
    """Whether there are symmetries, and all of them take the grid's shape to itself."""
    return bool(problem.symmetries) and all(
        grid is None or tuple(grid[axis] for axis in symmetry.axes or range(len(grid))) == grid
        for symmetry in problem.symmetries
    )


def rearranged(z: Tensor, order: Tensor | None, choice: Tensor) -> Tensor:
    """Values (B, N, C) in the order of every sample's choice."""
    if order is None:
        return z
    return z.gather(1, order[choice].unsqueeze(-1).expand(-1, -1, z.shape[-1]))


def _identity(d: int) -> Symmetry:
    matrix = tuple(tuple(float(i == j) for j in range(d)) for i in range(d))
    return Symmetry(name="identity", matrix=matrix, offset=(0.0,) * d)


def _permutation(symmetry: Symmetry, grid: tuple[int, ...], problem: str) -> NDArray[np.int64]:
    """Where the value at every grid point comes from."""
    index = np.arange(np.prod(grid)).reshape(grid)
    if symmetry.axes:
        index = index.transpose(symmetry.axes)
    if index.shape != grid:
        raise DataError(f"{problem}: symmetry {symmetry.name} does not fit {grid}")
    return np.flip(index, symmetry.flip).reshape(-1).copy()


def _table(
    rows: list[tuple[float, ...]], channels: int, device: torch.device, default: float
) -> Tensor:
    """A row of every element, (G, C)."""
    return torch.tensor([row or (default,) * channels for row in rows], device=device)
