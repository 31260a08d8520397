"""The error of a surrogate on held-out samples."""

from __future__ import annotations

import torch
from torch import Tensor

from llt.data.sources import Source
from llt.surrogate import Surrogate

POINTS_PER_BATCH = 1 << 18  # enough to fill a GPU


def sample_errors(
    surrogate: Surrogate, data: Source, grid: tuple[int, ...] | None = None
) -> Tensor:
    """Relative L2 error of every sample over all its points, channels and times: (S,)."""
    squares = torch.zeros(2, data.num_samples, device=data.device)
    size = max(1, POINTS_PER_BATCH // data.num_points) if data.device.type == "cuda" else 4
    for items in torch.arange(data.num_items, device=data.device).split(size):
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
