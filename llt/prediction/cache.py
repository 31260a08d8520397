"""Captured graphs by shape: a few are kept, the least recently used goes first."""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict, deque
from collections.abc import Hashable, Sequence
from typing import Any

import torch
from torch import nn

from llt.kernels.choice import choice
from llt.prediction.captured import Capture, CapturedForward, Forward
from llt.prediction.cases import Shape
from llt.runtime.graph import capture

MOST = 8  # graphs; they share the memory of their temporary tensors
REMEMBERED = 64  # shapes that came once


def capture_on(device: torch.device) -> Capture | None:
    """How work is captured on a device; not within a capture of the caller's own."""
    if device.type != "cuda" or torch.cuda.is_current_stream_capturing():
        return None
    return capture


class CaptureCache:
    """The graphs of one surrogate, as long as its tensors stay where they are.

    A shape is captured when it comes for the second time: one that comes once would pay the
    capture for nothing.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()  # graphs work in fixed memory: one prediction at a time
        self._forget([])

    def __reduce__(self) -> tuple[Any, ...]:
        return CaptureCache, ()  # a copy has tensors of its own

    def __len__(self) -> int:
        return len(self._graphs)

    def find(
        self,
        shape: Shape,
        settings: Hashable,
        forward: Forward,
        device: torch.device,
        modules: Sequence[nn.Module],
    ) -> CapturedForward | None:
        """The captured `forward`, or None to run it eagerly.

        Args:
            settings: what it depends on besides the batch and the tensors of `modules`.
        """
        record = capture_on(device)
        if record is None:
            return None
        addresses: list[int] = []
        for module in modules:
            _addresses(module, addresses)
        if addresses != self._addresses:
            self._forget(addresses)
        if self._refused:
            return None
        key = shape, settings, choice()
        if key in self._graphs:
            self._graphs.move_to_end(key)
        elif key not in self._seen:
            self._seen.append(key)
        else:
            self._record(key, forward, shape, device, record)
        return self._graphs.get(key)

    def _record(
        self, key: Hashable, forward: Forward, shape: Shape, device: torch.device, record: Capture
    ) -> None:
        # of a graph that lives on: the pool goes with its last graph
        pool = next(reversed(self._graphs.values())).graph.pool() if self._graphs else None
        while len(self._graphs) >= MOST:
            self._graphs.popitem(last=False)
        try:
            self._graphs[key] = CapturedForward(forward, shape, device, record, pool)
        except RuntimeError as error:
            self._refused = True
            reason = str(error).splitlines()[0]
            warnings.warn(
                f"the model cannot be captured and predicts eagerly: {reason}", stacklevel=2
            )

    def _forget(self, addresses: list[int]) -> None:
        self._addresses = addresses
        self._graphs: OrderedDict[Hashable, CapturedForward] = OrderedDict()
        self._seen: deque[Hashable] = deque(maxlen=REMEMBERED)
        self._refused = False


def _addresses(module: nn.Module, found: list[int]) -> list[int]:
    """Of all parameters and buffers; `Module.parameters` would take three times as long."""
    for table in (module._parameters, module._buffers):
        found += [tensor.data_ptr() for tensor in table.values() if tensor is not None]
    for child in module._modules.values():
        if child is not None:
            _addresses(child, found)
    return found
