"""The error of a surrogate on held-out samples."""

from __future__ import annotations

import torch
from torch import Tensor

from llt.data.batches import DeviceData
from llt.prediction.batching import cases_per_batch
from llt.surrogate import Surrogate


def sample_errors(
    surrogate: Surrogate, data: DeviceData, grid: tuple[int, ...] | None = None
) -> Tensor:
    """Relative L2 error of every sample over all its points, channels and times: (S,)."""
    squares = torch.zeros(2, data.num_samples, device=data.x.device)
    K = 0 if data.neighbors is None else data.neighbors.shape[-1]
    size = cases_per_batch(data.num_points, K) if data.x.is_cuda else 4
    for items in torch.arange(data.num_items, device=data.x.device).split(size):
        batch = data.batch(items)
        u = surrogate.predict_batch(
            batch.x, batch.a, t=batch.t, grid=grid, neighbors=batch.neighbors, mask=batch.mask
        )
        difference, target = u - batch.u, batch.u
        if batch.mask is not None:
            difference, target = (z * batch.mask.unsqueeze(-1) for z in (difference, target))
        sums = torch.stack([z.double().square().sum((1, 2)) for z in (difference, target)])
        squares.index_add_(1, items // data.num_times, sums.float())
    return (squares[0] / squares[1].clamp(min=1e-30)).sqrt()
