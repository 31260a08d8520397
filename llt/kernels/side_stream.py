"""Work whose results nothing needs yet, in a second CUDA stream.

How much of it really runs at the same time is up to registers and shared memory; but sums that only
later kernels read are then no link in the chain of kernels that wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor


class SideStream:
    """Runs work in parallel with the current stream; what it writes may be read after `join`."""

    def __init__(self, device: torch.device) -> None:
        self.stream = _second_stream(device.index) if device.type == "cuda" else None
        # memory that is free in one stream is used again there, whatever others still do with it
        self.held: list[Tensor] = []

    def run(self, work: Callable[[], object], *tensors: Tensor) -> None:
        """`tensors` are those that `work` reads or writes and others may let go."""
        if self.stream is None:
            work()
            return
        self.held += tensors
        self.stream.wait_stream(torch.cuda.current_stream(self.stream.device))
        with torch.cuda.stream(self.stream):
            work()

    def join(self) -> None:
        if self.stream is not None:
            torch.cuda.current_stream(self.stream.device).wait_stream(self.stream)
            self.held.clear()


@cache
def _second_stream(index: int) -> torch.cuda.Stream:
    return torch.cuda.Stream(index)
