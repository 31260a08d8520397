"""Work that nothing waits for yet, beside what follows: on CUDA in a second stream.

How much of it really runs at the same time is up to registers and shared memory; but sums that only
later kernels need are no link of the chain of kernels that wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor


class Beside:
    """Run work beside the current stream; what it writes may be read after `join`."""

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
