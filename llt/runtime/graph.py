"""Work recorded as a CUDA graph: replayed, its kernels are launched all at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch


class Graph(Protocol):
    """Recorded work; `pool` names the memory of its temporary tensors."""

    def replay(self) -> None: ...

    def pool(self) -> Any: ...


def capture(
    work: Callable[[], object], pool: Any = None, rewind: Callable[[], object] = lambda: None
) -> Graph:
    """Record work that reads and writes the same tensors every time.

    Those tensors must outlive the graph, and the caller sees to that. Graphs that are never
    replayed at the same time may share the pool of one of them. The work runs a few times before;
    `rewind` makes each of them the same.
    """
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):  # libraries allocate workspaces in the first calls
            work()
            rewind()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    # a capture that fails leaves its stream the current one; other threads, such as NCCL's, may
    # use the device
    back = torch.cuda.stream(torch.cuda.current_stream())
    with back, torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
        work()
    return graph
