"""Many dice at once on any torch device: the samples of `solve_sample`, faster on a GPU.

The same steps as on a CPU core, sample by sample of its own length, in double precision. On a GPU
a step is compiled, and BLOCK of them are one CUDA graph; only between blocks the host asks
whether all samples have reached the frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec

import numpy as np
import torch
from torch import Tensor

from llt.errors import SolverError
from llt.runtime.graph import capture
from llt.solvers.base import Array, Solution
from llt.solvers.plasticity.die import Die
from llt.solvers.plasticity.dynamics import Body, Clock, Setup
from llt.solvers.plasticity.element import Resistance
from llt.solvers.plasticity.material import Stress
from llt.solvers.plasticity.sample import (
    Settings,
    failure,
    forming,
    make_die,
    make_setup,
    random_knots,
    solution,
    undeformed,
)
from llt.solvers.plasticity.tensors import Scene, State, block, step

BATCH_SIZE = 512


def solve_samples(
    rngs: Sequence[np.random.Generator],
    settings: Settings,
    *,
    device: torch.device | str = "cuda",
) -> list[Solution | SolverError]:
    """What `solve_sample` returns or raises for each generator."""
    knots = [random_knots(rng, settings) for rng in rngs]
    return solve_dice(knots, settings, device=torch.device(device))


@torch.no_grad()
def solve_dice(
    knots: Sequence[Array], settings: Settings, *, device: torch.device
) -> list[Solution | SolverError]:
    dice, setup = [make_die(heights, settings) for heights in knots], make_setup(settings)
    state = _still(settings, len(dice), device)
    march = _March(state, _scene(dice, setup, device), settings.max_steps)
    positions = [_host(state.x, state.y)]
    for frame in range(1, settings.frames):
        march.to(frame * settings.interval)
        positions.append(_host(state.x, state.y))
    stored, last = np.stack(positions, axis=1), [part.cpu().numpy() for part in state]
    until = (settings.frames - 1) * settings.interval
    results: list[Solution | SolverError] = []
    for i, die in enumerate(dice):
        body, clock = _split([part[i] for part in last])
        try:
            if clock.time < until:
                raise SolverError(failure(clock.time, clock.steps, settings))
            formed = forming(stored[i], body, clock, die, setup)
            results.append(solution(formed, knots[i], settings))
        except SolverError as error:
            results.append(error)
    return results


class _March:
    """Blocks of steps that change a state in place."""

    def __init__(self, state: State, scene: Scene, most: int) -> None:
        self.state, self.scene, self.most = state, scene, most
        self.until, self.ahead = torch.zeros_like(state.time), state.time > 0
        self.run: Callable[[], None] = self._block
        self.step: Callable[..., State] = step
        if state.x.is_cuda:
            if find_spec("triton"):
                self.step = torch.compile(step, fullgraph=True)
            # the runs before the recording change nothing: all samples are where they should be
            self.run = capture(self._block).replay

    def to(self, until: float) -> None:
        self.until.fill_(until)
        self.run()
        while self.ahead.any():
            self.run()

    def _block(self) -> None:
        new, ahead = block(self.state, self.until, self.most, self.scene, self.step)
        for ours, value in zip(self.state, new, strict=True):
            ours.copy_(value)
        self.ahead.copy_(ahead)


def _still(settings: Settings, count: int, device: torch.device) -> State:
    x, y = (torch.from_numpy(part).to(device).repeat(count, 1, 1) for part in undeformed(settings))
    elements, number = x[:, 1:, 1:], x[:, :1, :1]
    nodes = [torch.zeros_like(x) for _ in range(4)]
    inside = [torch.zeros_like(elements) for _ in range(12)]
    inside[3] += 1  # the thickness
    return State(x, y, *nodes, *inside, *(torch.zeros_like(number) for _ in range(5)))


def _scene(dice: Sequence[Die], setup: Setup, device: torch.device) -> Scene:
    die = dice[0]
    return Scene(
        torch.from_numpy(setup.mass).to(device),
        torch.from_numpy(np.stack([each.cubics for each in dice])).to(device),
        die.left,
        die.interval,
        die.speed,
        setup.material,
        setup.damping,
        setup.contact,
        setup.pace,
    )


def _host(x: Tensor, y: Tensor) -> Array:
    """Positions as they are stored, (B, nx + 1, ny + 1, 2)."""
    found: Array = torch.stack([x, y], -1).transpose(1, 2).cpu().numpy()
    return found


def _split(parts: Sequence[Array]) -> tuple[Body, Clock]:
    """One sample's part of a state, as the solver for one sample has it."""
    time, before, steps, work, deepest = (part.item() for part in parts[18:])
    x, y, vx, vy, fx, fy = parts[:6]
    body = Body(x, y, vx, vy, fx, fy, Stress(*parts[6:11]), Resistance(*parts[11:18]))
    return body, Clock(time, before, int(steps), work, deepest)
