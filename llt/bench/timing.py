"""Times of repeated work on a device, the memory it needs, and cleaning up after it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from time import perf_counter

import torch

from llt.runtime.graph import Graph, capture

Work = Callable[[], object]
MIB = 2**20


def times_ms(work: Work, count: int, device: torch.device) -> list[float]:
    """Milliseconds of each of `count` calls made back to back, as training makes them.

    On CUDA the time between events after consecutive calls: a queue that is never empty hides
    the launches, and where launches are the bottleneck the events see that.
    """
    if device.type != "cuda":
        marks = [perf_counter()]
        for _ in range(count):
            work()
            marks.append(perf_counter())
        return [1e3 * (end - start) for start, end in pairwise(marks)]
    events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    events[0].record()
    for event in events[1:]:
        work()
        event.record()
    torch.cuda.synchronize(device)
    return [start.elapsed_time(end) for start, end in pairwise(events)]


@dataclass
class Peak:
    """The most memory tensors took at any moment, in MiB; None where it is not tracked."""

    mib: float | None = None


@contextmanager
def peak_memory(device: torch.device) -> Iterator[Peak]:
    """What is allocated inside the block, at most; what was there before does not count.

    A CUDA graph allocates once, when it is captured, and its replays nothing: put the capture
    inside the block. The CPU has no such counter, and the process's size says little.
    """
    peak = Peak()
    if device.type != "cuda":
        yield peak
        return
    torch.cuda.synchronize(device)
    before = torch.cuda.memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    yield peak
    torch.cuda.synchronize(device)
    peak.mib = (torch.cuda.max_memory_allocated(device) - before) / MIB


def release_memory(device: torch.device) -> None:
    """Give back what a measurement held, so that the next one starts from nothing."""
    # compiled code keeps its tensors alive, and after eight versions of a function it is no
    # longer compiled at all
    torch.compiler.reset()
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()


def captured(work: Work) -> Work:
    """The same work as one CUDA graph."""
    return partial(_replay, capture(work), work)


def _replay(graph: Graph, work: Work) -> None:
    """`work` is passed along because the graph reads the tensors it holds."""
    graph.replay()
