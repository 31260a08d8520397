"""The way from inputs to outputs of one shape, captured once and replayed.

The graph reads and writes fixed memory: a batch is copied in, the graph replayed, the result
copied out. From arrays to arrays that is one copy in each direction through pinned host memory,
twice there, so that one batch is prepared while the device computes the one before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.prediction.cases import Cases, Packed, Shape
from llt.runtime.graph import Graph

Floats = NDArray[np.float32]
Forward = Callable[[Cases], Tensor]  # from physical units to physical units
Capture = Callable[[Callable[[], object], Any], Graph]


class CapturedForward:
    """`forward` for batches of one shape."""

    def __init__(
        self,
        forward: Forward,
        shape: Shape,
        device: torch.device,
        capture: Capture,
        pool: Any = None,
    ) -> None:
        self.shape, self.device = shape, device
        self.inputs = Packed(shape, device)
        u = forward(self.inputs.cases)
        # outside of the graph's own memory, which graphs may share
        self.u = torch.empty_like(u, memory_format=torch.contiguous_format)
        self.graph = capture(lambda: self.u.copy_(forward(self.inputs.cases)), pool)
        self._stages: list[Stage] = []  # made when arrays first come

    def __call__(self, cases: Cases) -> Tensor:
        """For tensors that are on the device already."""
        self.inputs.fill(cases)
        self.graph.replay()
        return self.u.clone()

    def start(
        self,
        x: Floats,
        a: Floats,
        t: Floats | None,
        neighbors: NDArray[np.int32] | None,
        out: Floats,
    ) -> None:
        """For arrays of this shape or with fewer cases; `out` is filled by the next `finish`."""
        if not self._stages:
            self._stages = [Stage(self), Stage(self)]
        stage = self._stages.pop(0)
        self._stages.append(stage)
        stage.finish()
        stage.fill(x, a, t, neighbors)
        self.inputs.words.copy_(stage.inputs.words, non_blocking=True)
        self.graph.replay()
        stage.fetch(self.u, out)

    def finish(self) -> None:
        for stage in self._stages:
            stage.finish()


class Stage:
    """Host memory that one batch passes on its way to the device and back."""

    def __init__(self, captured: CapturedForward) -> None:
        on_cuda = captured.device.type == "cuda"
        self.inputs = Packed(captured.shape, torch.device("cpu"), pinned=on_cuda)
        self.u = torch.empty(captured.u.shape, pin_memory=on_cuda)
        self.done = torch.cuda.Event() if on_cuda else None
        self._out: Floats | None = None

    def fill(
        self, x: Floats, a: Floats, t: Floats | None, neighbors: NDArray[np.int32] | None
    ) -> None:
        cases = self.inputs.cases
        _put(cases.x.numpy(), x)
        _put(cases.a.numpy(), a)
        if cases.t is not None and t is not None:
            _put(cases.t.numpy(), t)
        if cases.neighbors is not None and neighbors is not None:
            room, K = cases.neighbors.numpy(), neighbors.shape[-1]
            _put(room[..., :K], neighbors)
            room[..., K:] = -1

    def fetch(self, u: Tensor, out: Floats) -> None:
        self.u.copy_(u, non_blocking=True)
        if self.done is not None:
            self.done.record()
        self._out = out

    def finish(self) -> None:
        if self._out is None:
            return
        if self.done is not None:
            self.done.synchronize()
        self._out[...] = self.u.numpy()[: len(self._out)]
        self._out = None


def _put(room: NDArray[Any], values: NDArray[Any]) -> None:
    """Where there is room for more cases the last one is repeated."""
    room[: len(values)] = values
    room[len(values) :] = values[-1]
