"""The relative L2 error of first derivatives, added to that of the fields.

On grids the derivatives are along the grid's lines: the differences to both neighbors on a line
over the arc length between them, at ends of a line to one. On point sets they are along the edges
of the graph: differences over distances. So how points are spaced does not matter, and on a
uniform grid, where all lengths are equal, plain differences give the same relative error.

Shapes: B batch, N points, C fields, d space dimensions, K neighbors; z is the error beside the
target, (2, B, ..., C).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from llt.data.batch import Batch
from llt.problem import Problem
from llt.training.loss.relative_l2 import RelativeL2, Whole, alone

# a direction in which a target hardly varies counts as if it varied this much of all together
LEAST = 1e-3


class WithDerivatives:
    """See `Loss`: the relative L2 error, and `weight` times that of every derivative."""

    def __init__(
        self, problem: Problem, weight: float, typical: float = 1.0, whole: Whole = alone
    ) -> None:
        self.problem, self.weight, self.whole = problem, weight, whole
        self.fields = RelativeL2(problem, typical, whole)

    def __call__(self, prediction: Tensor, batch: Batch) -> Tensor:
        derivatives = relative_derivatives(prediction, batch, self.problem, self.whole)
        return self.fields(prediction, batch) + self.weight * derivatives


def relative_derivatives(
    prediction: Tensor, batch: Batch, problem: Problem, whole: Whole = alone
) -> Tensor:
    """Relative L2 error of the derivatives along every axis of a grid, or all edges, summed: (B,).

    Fields count with their weights, where they exist.
    """
    z = torch.stack((prediction - batch.u, batch.u))
    weights, grid = batch.weights(problem), batch.grid or problem.grid
    if grid is None:
        roots = [_along_edges(z, weights, batch)]
    else:
        x, z = batch.x.unflatten(1, grid), z.unflatten(2, grid)
        if weights is not None:
            weights = weights.unflatten(1, grid)
        roots = [_along_lines(z, weights, x, axis - 1) for axis in range(-len(grid), 0)]
        if batch.own is not None:
            roots = [root.flatten(2, -2)[:, :, batch.own] for root in roots]
    norms = torch.stack([z.flatten(2).norm(dim=2) for z in roots], dim=-1)
    error, target = whole(norms)  # (B, axes)
    every = target.norm(dim=1, keepdim=True)
    # a constant target has no derivative to be relative to
    return torch.where(every > 0, error / target.clamp(min=LEAST * every + 1e-30), 0.0).sum(1)


def _along_lines(z: Tensor, weights: Tensor | None, x: Tensor, axis: int) -> Tensor:
    """√w ∂z along one axis of a grid, from z (2, B, *grid, C) at points x (B, *grid, d)."""
    step, length = z.diff(dim=axis), x.diff(dim=axis).norm(dim=-1, keepdim=True)
    if weights is not None:  # only steps between points that both count
        exists = weights > 0
        both = exists.narrow(axis, 1, length.shape[axis]) & exists.narrow(
            axis, 0, length.shape[axis]
        )
        step, length = step * both, length * both
    return _ratio(_two_sided(step, axis), _two_sided(length, axis), weights)


def _two_sided(steps: Tensor, axis: int) -> Tensor:
    """The steps before and after every point of a line, added; beyond its ends there are none."""
    padded = F.pad(steps, (0, 0) * (-axis - 1) + (1, 1))
    num = steps.shape[axis] + 1
    return padded.narrow(axis, 0, num) + padded.narrow(axis, 1, num)


def _along_edges(z: Tensor, weights: Tensor | None, batch: Batch) -> Tensor:
    """√w ∂z along the edges of the graph (2, B, N, K, C), from z (2, B, N, C)."""
    assert batch.neighbors is not None
    B, M, _ = batch.x.shape
    own = slice(batch.neighbors.shape[1])  # points behind these are only read
    start = M * torch.arange(B, device=z.device)[:, None, None]
    rows = batch.neighbors.clamp(min=0) + start
    length = (_gather(batch.x, rows) - batch.x[:, own].unsqueeze(-2)).norm(dim=-1, keepdim=True)
    # a point is its own first neighbor, at no distance; no edge counts that is not there
    length = length * (batch.neighbors >= 0).unsqueeze(-1)
    if weights is not None:
        weights = torch.minimum(_gather(weights, rows), weights[:, own].unsqueeze(-2))
    return _ratio(_gather(z, rows) - z[:, :, own].unsqueeze(-2), length, weights)


def _gather(z: Tensor, rows: Tensor) -> Tensor:
    """z (..., B, N, C) at rows (B, N, K) of all samples one after the other: (..., B, N, K, C)."""
    # not by indexing, whose gradient sorts all rows on a GPU
    return z.flatten(-3, -2).index_select(-2, rows.flatten()).unflatten(-2, rows.shape)


def _ratio(step: Tensor, length: Tensor, weights: Tensor | None) -> Tensor:
    """√w step / length; zero where there is no length."""
    slope = torch.where(length > 0, step / torch.where(length > 0, length, 1.0), 0.0)
    return slope if weights is None else slope * weights.sqrt()
