"""The errors of a surrogate on held-out samples."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from llt.data.sources import Source
from llt.prediction.batching import cases_per_batch
from llt.surrogate import Surrogate


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative L2 errors, each over all points at which a field exists, and over all times."""

    total: Tensor  # (S,) over all fields of a sample, with the weights of the loss
    fields: Tensor  # (S, Cu) of every field alone


def sample_errors(
    surrogate: Surrogate,
    data: Source,
    grid: tuple[int, ...] | None = None,
    *,
    symmetrize: bool = False,
) -> Errors:
    """The errors of every sample; sums are in double precision."""
    device, shape = surrogate.device, (2, data.num_samples, data.problem.out_channels)
    squares = torch.zeros(shape, dtype=torch.float64, device=device)
    K = data.num_neighbors
    size = cases_per_batch(data.num_points, K) if device.type == "cuda" else 4
    for items in torch.arange(data.num_items, device=device).split(size):
        batch = data.batch(items)
        u = surrogate.predict_batch(
            batch.x,
            batch.a,
            t=batch.t,
            grid=grid,
            neighbors=batch.neighbors,
            mask=batch.mask,
            symmetrize=symmetrize,
        )
        pair = torch.stack([u - batch.u, batch.u]).double().square()
        weights = batch.weights(data.problem)
        if weights is not None:
            pair = pair * weights
        squares.index_add_(1, items // data.num_times, pair.sum(2))
    return Errors(relative_errors(*squares.sum(2)), relative_errors(*squares))


def relative_errors(error: Tensor, target: Tensor) -> Tensor:
    """Roots of summed squares of errors beside those of targets, samples (S, ...) first.

    A sample whose target is zero everywhere has no size of its own: its error is told beside the
    root mean square of all samples, and as it is where every target is zero.
    """
    mean = target.mean(0)
    size = torch.where(target > 0, target, torch.where(mean > 0, mean, 1.0))
    return (error / size).sqrt()
