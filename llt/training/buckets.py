"""Sizes that batches of ragged samples are cut to, so that a few CUDA graphs serve all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from llt.training.epoch_order import Table

NUM_BUCKETS = 4
Size = int | None  # points of a batch; None stands for all, where samples have equally many


def bucket_sizes(counts: NDArray[np.int64] | None) -> list[Size]:
    """The sizes for samples of so many points, largest first."""
    if counts is None:
        return [None]
    edges = np.quantile(counts, np.linspace(0, 1, NUM_BUCKETS + 1)[1:], method="higher")
    return [*sorted({int(edge) for edge in edges}, reverse=True)]


def step_sizes(samples: Table, counts: NDArray[np.int64] | None, sizes: list[Size]) -> list[Size]:
    """For each row of samples, a batch, the smallest size that holds its largest sample."""
    if counts is None:
        return [None] * len(samples)
    numbers = [size for size in sizes if size is not None]
    largest = counts[samples].max(axis=1)
    return [min(size for size in numbers if size >= points) for points in largest]
