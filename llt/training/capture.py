"""A step recorded as CUDA graphs, one for every size of its batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor

from llt.data.sources import Size
from llt.runtime.graph import Graph, capture
from llt.runtime.randomness import random_state, set_random_state

Run = Callable[[Size], None]
Graphs = dict[Size, Graph]


def record_sizes(run: Run, sizes: Sequence[Size], rewind: Callable[[], None]) -> Graphs:
    """Record `run` for every size, the largest first: the others fit into its memory.

    It runs a few times before; `rewind` makes each of them the same step.
    """
    graphs: Graphs = {}
    for size in sizes:
        pool = graphs[sizes[0]].pool() if graphs else None
        graphs[size] = capture(partial(run, size), pool, rewind)
    return graphs


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
