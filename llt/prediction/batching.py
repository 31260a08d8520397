"""Many cases in batches of bounded memory and of few different sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from llt.data.neighbors import Graph
from llt.prediction.cases import Shape

POINTS = 2**18  # per batch: enough to fill a GPU
NEIGHBOR_STEP = 4  # K of a captured graph is a multiple of it, so that few graphs serve all cases
Floats = NDArray[np.float32]


def cases_per_batch(points: int, neighbors: int = 0) -> int:
    """How many cases fit, a power of two, so that batches of a few sizes serve any number.

    Plain attention to neighbors gathers a key and a value for each of them, and multiplies them:
    four neighbors take about as much memory as all else of a point.
    """
    return power_of_two(int(POINTS / (points * (1 + neighbors / 4))))


def batches(start: int, stop: int, most: int) -> Iterator[slice]:
    for first in range(start, stop, most):
        yield slice(first, min(first + most, stop))


def graph_batches(
    x: Floats, graphs_of: Callable[[Floats], Graph | None]
) -> Iterator[tuple[slice, Graph | None]]:
    """Cases of each batch with their neighbors, which are searched for as they are needed."""
    count, points, _ = x.shape
    for block in batches(0, count, cases_per_batch(points)):
        graphs = graphs_of(x[block])
        K = 0 if graphs is None else graphs.shape[-1]
        for rows in batches(block.start, block.stop, cases_per_batch(points, K)):
            first = rows.start - block.start
            yield rows, None if graphs is None else graphs[first:][: rows.stop - rows.start]


def power_of_two(count: int) -> int:
    """The largest that is not above `count`, at least 1."""
    return 1 << max(count, 1).bit_length() - 1


def room_for(count: int) -> int:
    """The smallest power of two that is not below `count`."""
    return 1 << (count - 1).bit_length()


def batch_shape(
    x: Floats,
    a: Floats,
    t: float | None,
    graphs: NDArray[np.int32] | None,
    grid: tuple[int, ...] | None,
) -> Shape:
    """What a batch is captured as: with room for a power of two of cases."""
    K = None if graphs is None else -(-graphs.shape[-1] // NEIGHBOR_STEP) * NEIGHBOR_STEP
    return Shape(
        cases=room_for(len(x)),
        points=x.shape[1],
        space_dim=x.shape[2],
        in_channels=a.shape[2],
        neighbors=K,
        timed=t is not None,
        grid=grid,
    )
