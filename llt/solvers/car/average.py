"""The flow over time: blocks of steps from a sudden start, then averages in two halves.

On a GPU a step is compiled and a block of them is one CUDA graph; the host only counts blocks and
adds what each of them ends with to an average.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

import torch
from torch import Tensor

from llt.runtime.graph import capture
from llt.solvers.car.advection import Velocity
from llt.solvers.car.body import drag
from llt.solvers.car.flow import Air, State, start, step, sudden

Step = Callable[[State, Air], State]
Drag = Callable[[State, Air], Tensor]

BLOCK = 10  # steps; the flow moves by about two cells


class Mean(NamedTuple):
    """Averages over a stretch of time, of all samples."""

    velocity: Velocity
    pressure: Tensor
    drag: Tensor  # (B,), the momentum that the air loses along z per second, over its density


class Run(NamedTuple):
    first: Mean  # of the first half of the averaged time
    second: Mean
    state: State  # at the end


@torch.no_grad()
def average(air: Air, blocks: int) -> Run:
    """Blocks of steps; the second half of them is averaged, in two halves of its own."""
    march = _March(air)
    quarter = max(1, blocks // 4)
    for _ in range(blocks - 2 * quarter):
        march.run()
    first, second = (_mean(march, quarter) for _ in range(2))
    return Run(first, second, march.state)


class _March:
    """Blocks of steps that change a state in place."""

    def __init__(self, air: Air) -> None:
        self.air, self.state = air, start(air, sudden(air))
        self.step: Step = step
        self.drag: Drag = drag
        self.run: Callable[[], None] = self._block
        if self.state.pressure.is_cuda:
            self.step, self.drag = _compiled()
            beginning = [part.clone() for part in _tensors(self.state)]
            self.run = capture(self._block).replay
            self._set(beginning)  # the recording has made some steps

    def _block(self) -> None:
        state = self.state
        for _ in range(BLOCK):
            state = self.step(state, self.air)
        self._set(_tensors(state))

    def _set(self, values: list[Tensor]) -> None:
        for ours, new in zip(_tensors(self.state), values, strict=True):
            ours.copy_(new)


def _mean(march: _March, blocks: int) -> Mean:
    state = march.state
    totals = [torch.zeros_like(part) for part in (*state.velocity, state.pressure)]
    force = torch.zeros_like(state.pressure[:, 0, 0, 0])
    for _ in range(blocks):
        march.run()
        for total, now in zip(totals, (*state.velocity, state.pressure), strict=True):
            total += now
        force += march.drag(state, march.air)
    u, v, w, pressure = (total / blocks for total in totals)
    return Mean((u, v, w), pressure, force / blocks)


@cache
def _compiled() -> tuple[Step, Drag]:
    """Once, for all batches of one size."""
    if not find_spec("triton"):
        return step, drag
    return torch.compile(step, fullgraph=True), torch.compile(drag, fullgraph=True)


def _tensors(state: State) -> list[Tensor]:
    return [*state.velocity, state.pressure, *state.before]
