"""Many cases in batches of bounded memory and of few different sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.neighbors import Graph
from llt.prediction.cases import Shape
from llt.prediction.question import Question

POINTS = 2**18  # per batch: enough to fill a GPU
NEIGHBOR_STEP = 4  # K of a captured graph is a multiple of it, so that few graphs serve all cases
Floats = NDArray[np.float32]
Times = list[float] | list[None]


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
    x: Floats, times: int, graphs_of: Callable[[Floats], Graph | None]
) -> Iterator[tuple[slice, slice, Graph | None]]:
    """Cases and times of each batch, and neighbors of the cases, searched for as they are needed.

    A batch has all times of some cases, or some times of one.
    """
    count, points, _ = x.shape
    for block in batches(0, count, cases_per_batch(points)):
        graphs = graphs_of(x[block])
        most = cases_per_batch(points, 0 if graphs is None else graphs.shape[-1])
        for rows in batches(block.start, block.stop, max(1, most // times)):
            first = rows.start - block.start
            found = None if graphs is None else graphs[first:][: rows.stop - rows.start]
            for moments in batches(0, times, most):
                yield rows, moments, found


def same_graph(graph: Graph, x: Floats) -> Graph:
    """One graph (N, K) for every case of x (B, N, d)."""
    return np.broadcast_to(graph, (len(x), *graph.shape))


def batch_arrays(
    question: Question, rows: slice, times: Times, graphs: Graph | None
) -> tuple[Floats, Floats, Floats | None, Graph | None]:
    """Points, inputs, times and neighbors of some cases, all times of one after the other."""
    count = len(times)
    x, a = (_repeated(z[rows], count) for z in (question.x, question.a))
    t = None if times[0] is None else np.tile(np.array(times, np.float32), len(x) // count)
    return x, a, t, None if graphs is None else _repeated(graphs, count)


def _repeated(values: NDArray[Any], times: int) -> NDArray[Any]:
    """From (B, ...) to (B * times, ...)."""
    if times == 1:
        return values
    count, *shape = values.shape
    return np.broadcast_to(values[:, None], (count, times, *shape)).reshape(count * times, *shape)


def power_of_two(count: int) -> int:
    """The largest that is not above `count`, at least 1."""
    return 1 << max(count, 1).bit_length() - 1


def room_for(count: int) -> int:
    """The smallest power of two that is not below `count`."""
    return 1 << (count - 1).bit_length()


def batch_shape(
    x: Floats,
    a: Floats,
    t: Floats | None,
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
