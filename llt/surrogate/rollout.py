"""Rollouts: the frames that follow some first ones, each predicted from those before it.

Shapes: B cases, h frames before each, N points, d space dimensions, Ca inputs, Cu outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from llt.data.frames import EVEN, Frames
from llt.data.neighbors import Graph
from llt.data.numbers import to_array, to_floats
from llt.errors import ConfigError, DataError, SolverError, unknown
from llt.prediction.question import Question, read_question
from llt.problem import Problem
from llt.surrogate.answering import answer, check_question

if TYPE_CHECKING:
    from llt.surrogate.core import Surrogate

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Rollout:
    """What a surrogate is asked: cases one after the other, from their first frames on."""

    x: Floats  # (B, N, d); points that all cases share are there once
    a: Sequence[Floats]  # (B, N, Ca) of the cases, for all steps or for each
    first: Floats  # (B, h, N, Cu)
    exists: NDArray[np.bool_] | None  # (B, N, Cu), where outputs do
    grid: tuple[int, ...] | None = None
    batch: tuple[int, ...] = ()
    case: tuple[int, ...] = ()  # (N,) or the grid
    named: bool = False
    count: int = 0  # frames that were given, of which some are the first

    def question(self, frames: Frames, step: int, dt: float, before: Sequence[Floats]) -> Question:
        """What the model is asked for one step."""
        a, fields = self.a[step if len(self.a) > 1 else 0], len(frames.cases.inputs)
        steps = np.full(len(a), dt)
        given = np.concatenate(
            [frames.given(a[..., :fields], steps, before), a[..., fields:]], axis=-1
        )
        return Question(self.x, given, self.grid, (len(a),), (a.shape[1],), False)

    def first_question(self, frames: Frames) -> Question:
        dt = float(np.diff(frames.times)[frames.history - 1])
        return self.question(frames, 0, dt, [*self.first.swapaxes(0, 1)])

    def alone(self, case: int) -> Rollout:
        """One of the cases."""
        own = slice(case, case + 1)
        exists = None if self.exists is None else self.exists[own]
        a = [part[own] for part in self.a]
        return replace(self, x=self.x[own], a=a, first=self.first[own], exists=exists)

    def shaped(self, u: Floats, problem: Problem) -> Any:
        """The answer (B, steps, N, Cu) as it was asked for."""
        u = u.reshape(*self.batch, u.shape[1], *self.case, u.shape[-1])
        if not self.named:
            return u
        return {name: u[..., channel] for channel, name in enumerate(problem.output_names)}


def read_rollout(
    surrogate: Surrogate,
    x: Any,
    a: Any,
    first: Any,
    parameters: Mapping[str, Any] | None,
    masks: Mapping[str, Any] | None,
    *,
    begin: bool = False,
) -> Rollout:
    """Reject what does not fit the problem; else say how it does.

    Args:
        begin: with the first of the frames that are given; else after the last.
    """
    frames, problem = surrogate.frames, surrogate.cases
    if frames is None:
        raise ConfigError(
            f"{problem.name}: the model has not learned steps from frame to frame; use predict, "
            "or train with train.history=1"
        )
    every = a if isinstance(a, list | tuple) and all(isinstance(z, Mapping) for z in a) else [a]
    if not every:
        raise DataError(f"{problem.name}: a list of inputs for every step, which is empty")
    asked = [read_question(problem, x, z, parameters, surrogate.own_mesh) for z in every]
    question = asked[0]
    values, batch = _read_frames(problem, first, question)
    if len(values[0]) < frames.history:
        raise DataError(
            f"{problem.name}: {len(values[0])} first frames, the model needs {frames.history}"
        )
    count, h = len(values[0]), frames.history
    values = values[:, :h] if begin else values[:, -h:]
    B, N, _ = len(values), *question.x.shape[1:]
    exists = _read_masks(frames, masks, B, question.case)
    if exists is not None:
        values = np.where(exists[:, None], values, np.float32(0))
    _check_finite(problem, values)
    return Rollout(
        x=np.broadcast_to(question.x, (B, N, problem.space_dim)),
        a=[np.broadcast_to(one.a, (B, N, problem.in_channels)) for one in asked],
        first=values,
        exists=exists,
        grid=question.grid,
        batch=batch,
        case=question.case,
        named=isinstance(first, Mapping),
        count=count,
    )


def first_question(
    surrogate: Surrogate,
    x: Any,
    a: Any,
    first: Any,
    parameters: Mapping[str, Any] | None,
    masks: Mapping[str, Any] | None,
) -> Question:
    """What the model is asked of new cases, of a rollout for its first step."""
    if surrogate.frames is None:
        return read_question(surrogate.problem, x, a, parameters, surrogate.own_mesh)
    asked = read_rollout(surrogate, x, a, first, parameters, masks)
    return asked.first_question(surrogate.frames)


def refuse_steps(surrogate: Surrogate) -> None:
    """Raise where a model has learned steps: one call of it is not the answer."""
    if surrogate.frames is not None:
        raise ConfigError(
            f"{surrogate.cases.name}: the model predicts the next frame from "
            f"{surrogate.frames.history} before it; use rollout(x, a, first, steps)"
        )


def roll_out(
    surrogate: Surrogate,
    asked: Rollout,
    steps: int | None = None,
    dt: Any = None,
    *,
    chunk: int | None = None,
    symmetrize: bool = False,
    known: Graph | None = None,
    ranges: bool = False,
) -> Floats:
    """The frames that follow: (B, steps, N, Cu)."""
    frames = surrogate.frames
    assert frames is not None
    steps = len(frames.times) - frames.history if steps is None else steps
    if steps < 1:
        raise ConfigError(f"{frames.cases.name}: steps={steps} must be at least 1")
    if len(asked.a) not in (1, steps):
        raise DataError(
            f"{frames.cases.name}: inputs of {len(asked.a)} steps, {steps} are asked for"
        )
    sizes = _step_sizes(frames, steps, dt)
    question = asked.first_question(frames)
    check_question(surrogate, question, [None], chunk=chunk, known=known, ranges=ranges)
    found = []
    for part, graph in _parts(surrogate, asked, known):
        found.append(_roll(surrogate, part, sizes, chunk, symmetrize, graph))
    return np.concatenate(found)


def _parts(
    surrogate: Surrogate, asked: Rollout, known: Graph | None
) -> Iterator[tuple[Rollout, Graph | None]]:
    """Cases that are rolled out together, since they have the same neighbors, or none."""
    graph = surrogate.graph(asked.x[0]) if known is None else known
    if graph is None or known is not None or not asked.x.strides[0] or len(asked.x) == 1:
        yield asked, graph
        return
    for case, x in enumerate(asked.x):
        yield asked.alone(case), surrogate.graph(x)


def _roll(
    surrogate: Surrogate,
    asked: Rollout,
    sizes: Sequence[float],
    chunk: int | None,
    symmetrize: bool,
    known: Graph | None,
) -> Floats:
    frames = surrogate.frames
    assert frames is not None
    before = [*asked.first.swapaxes(0, 1)]
    B, _, N, Cu = asked.first.shape
    u = np.empty((B, len(sizes), N, Cu), np.float32)
    for step, dt in enumerate(sizes):
        question = asked.question(frames, step, dt, before)
        (change,) = answer(
            surrogate, question, [None], chunk=chunk, symmetrize=symmetrize, known=known
        ).swapaxes(0, 1)
        if asked.exists is not None:
            change = np.where(asked.exists, change, np.float32(0))
        u[:, step] = before[-1] + change
        if not np.isfinite(u[:, step]).all():
            raise SolverError(
                f"{frames.cases.name}: the rollout diverges at step {step + 1} of {len(sizes)}; "
                "train longer, or with train.noise=0.1"
            )
        before = [*before[1:], u[:, step]]
    return u


def _step_sizes(frames: Frames, steps: int, dt: Any) -> list[float]:
    """From each frame to the next."""
    name = frames.cases.name
    if dt is not None:
        given = to_array(dt, f"{name}: dt").astype(float)
        if given.shape not in ((), (steps,)) or not (np.isfinite(given).all() and given.min() > 0):
            raise DataError(f"{name}: dt={dt}, expected a number above 0, or one for every step")
        if frames.dt is not None and np.abs(given - frames.dt).max() > 2 * EVEN * frames.dt:
            raise DataError(f"{name}: dt={dt}, the model was trained on steps of {frames.dt:g}")
        return [float(size) for size in np.broadcast_to(given, (steps,))]
    if frames.dt is not None:
        return [frames.dt] * steps
    trained = np.diff(frames.times)[frames.history - 1 :]
    if steps > len(trained):
        raise DataError(
            f"{name}: {steps} steps, {len(trained)} were trained on, of different lengths; pass dt"
        )
    return [float(size) for size in trained[:steps]]


def _read_frames(
    problem: Problem, first: Any, question: Question
) -> tuple[Floats, tuple[int, ...]]:
    """All frames that are given, (B, frames, N, Cu), and the axes of the cases in the answer."""
    names, what = problem.output_names, f"{problem.name}: first"
    if first is None:
        raise DataError(f"{what} frames are missing; give {', '.join(names)}")
    if isinstance(first, Mapping):
        for name in first:
            if name not in names:
                raise DataError(f"{what}: {unknown('output', name, names)}")
        for name in names:
            if name not in first:
                raise DataError(f"{what}: no {name!r}; give {', '.join(names)}")
        parts = [to_floats(first[name], f"{what} {name!r}") for name in names]
        if len({part.shape for part in parts}) > 1:
            shapes = ", ".join(f"{n} {p.shape}" for n, p in zip(names, parts, strict=True))
            raise DataError(f"{what}: shapes differ: {shapes}")
        values = np.stack(parts, axis=-1)
    else:
        values = to_floats(first, what)
    shape, N = values.shape, prod(question.case)
    for case in dict.fromkeys((question.case, (N,))):
        lead = shape[: -1 - len(case)]
        fits = shape[len(lead) :] == (*case, len(names)) and len(lead) in (1, 2)
        if fits and 0 not in lead[:-1] and lead[:-1] in ((), question.batch or lead[:-1]):
            B = prod(lead[:-1]) if lead[:-1] else prod(question.batch)
            values = values.reshape(prod(lead[:-1]), lead[-1], N, len(names))
            return np.broadcast_to(values, (B, *values.shape[1:])), lead[:-1] or question.batch
    cases = "" if not question.batch else f"{question.batch[0]}, "
    wanted = ", ".join(map(str, (*question.case, len(names))))
    raise DataError(f"{what} frames have shape {shape}, expected ({cases}frames, {wanted})")


def _read_masks(
    frames: Frames, masks: Mapping[str, Any] | None, B: int, case: tuple[int, ...]
) -> NDArray[np.bool_] | None:
    name, N = frames.cases.name, prod(case)
    found = {}
    for mask in frames.cases.mask_names:
        if mask not in (masks or {}):
            raise DataError(f"{name}: some outputs exist on {mask!r} only; pass masks={{...}}")
        values = np.asarray((masks or {})[mask], bool)
        if values.size not in (N, B * N):
            raise DataError(f"{name}: mask {mask!r} has shape {values.shape}, expected {case}")
        found[mask] = np.broadcast_to(values.reshape(-1, N), (B, N))
    return frames.exists(found)


def _check_finite(problem: Problem, values: Floats) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        case, frame, _, channel = bad[0]
        raise DataError(
            f"{problem.name}: first frame {frame} of {problem.output_names[channel]!r} holds NaN "
            f"or infinity in case {case} ({len(bad)} such values)"
        )
