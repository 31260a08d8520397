"""Sizes that batches have, so that a few CUDA graphs serve all of them.

Ragged samples are cut to one of a few numbers of points; grids are thinned by one of the strides
that the settings name.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from llt.data.sources import Size
from llt.data.thinning import Stride
from llt.training.epoch_order import Table

NUM_BUCKETS = 4


def bucket_sizes(counts: NDArray[np.int64] | None, strides: Sequence[Stride] = ()) -> list[Size]:
    """The sizes for samples of so many points, or for grids so thinned, largest first."""
    if strides:
        return [*sorted(set(strides), key=prod)]
    if counts is None:
        return [None]
    edges = np.quantile(counts, np.linspace(0, 1, NUM_BUCKETS + 1)[1:], method="higher")
    return [*sorted({int(edge) for edge in edges}, reverse=True)]


def step_sizes(
    samples: Table, counts: NDArray[np.int64] | None, sizes: Sequence[Size]
) -> list[Size]:
    """For each row of samples, a batch, the smallest size that holds its largest sample."""
    if counts is None:
        return [None] * len(samples)
    numbers = [size for size in sizes if isinstance(size, int)]
    largest = counts[samples].max(axis=1)
    return [min(size for size in numbers if size >= points) for points in largest]
