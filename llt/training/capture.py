"""A step recorded as CUDA graphs, one for every size of its batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from llt.data.sources import Size
from llt.runtime.randomness import random_state, set_random_state

Run = Callable[[Size], None]
Graphs = dict[Size, torch.cuda.CUDAGraph]


def record_sizes(run: Run, sizes: Sequence[Size], rewind: Callable[[], None]) -> Graphs:
    """Record `run` for every size, the largest first: the others fit into its memory.

    It runs a few times before; `rewind` makes each of them the same step.
    """
    graphs: Graphs = {}
    for size in sizes:
        pool = graphs[sizes[0]].pool() if graphs else None
        graphs[size] = record(run, size, rewind, pool)
    return graphs


def record(run: Run, size: Size, rewind: Callable[[], None], pool: Any) -> torch.cuda.CUDAGraph:
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):  # libraries allocate workspaces in the first calls
            run(size)
            rewind()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        run(size)
    return graph


@contextmanager
def restoring(tensors: Sequence[Tensor], device: torch.device) -> Iterator[None]:
    """Put the tensors and the random numbers to come back to what they were."""
    before, randomness = [tensor.clone() for tensor in tensors], random_state(device)
    try:
        yield
    finally:
        for tensor, value in zip(tensors, before, strict=True):
            tensor.copy_(value)
        set_random_state(device, randomness)
