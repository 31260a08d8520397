"""Time series as steps from frame to frame: the next frame follows from some before it.

A network that learns steps is given the inputs of a case and its outputs at frames k-h to k-1, and
asked for what changes from frame k-1 to k; zero stands for "nothing changes". Its problem has no
times: a step is the same whenever it happens. Where the frames are unevenly spaced, the time from
k-1 to k is an input, too.

Shapes: T frames, h of them before each, N points, Ca input and Cu output channels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from llt.data.sample import Bools, Floats, Sample
from llt.errors import ConfigError, DataError
from llt.problem import Field, Problem, Symmetry

if TYPE_CHECKING:
    from llt.data.dataset import Dataset

STEP = "time step"  # the name of the input, where steps differ
FLOAT = np.dtype(np.float32)
EVEN = 1e-3  # of a step, by which others may differ and count as the same


@dataclass(frozen=True)
class Frames:
    """What becomes of the frames of a problem's cases."""

    history: int  # h
    cases: Problem  # as the data have it
    times: tuple[float, ...]  # of the T frames that were trained on

    def __post_init__(self) -> None:
        name, T = self.cases.name, len(self.times)
        if not self.cases.timed:
            raise ConfigError(
                f"train.history={self.history}: {name} has no frames: its outputs have no times; "
                "use train.history=0"
            )
        if not 1 <= self.history < T:
            raise ConfigError(
                f"train.history={self.history}: {name} has {T} frames, and at least one must "
                f"follow; use 1 to {T - 1}"
            )
        if not np.diff(self.times).min() > 0:
            raise ConfigError(f"train.history={self.history}: the times of {name} do not increase")

    @classmethod
    def of(cls, data: Dataset, history: int) -> Frames:
        return cls(history, data.problem, () if data.times is None else tuple(data.times.tolist()))

    @cached_property
    def dt(self) -> float | None:
        """From frame to frame, where it is always the same."""
        steps = np.diff(self.times)
        return float(steps.mean()) if np.ptp(steps) <= EVEN * steps.mean() else None

    @cached_property
    def problem(self) -> Problem:
        """What the network learns."""
        cases = self.cases
        before = tuple(
            Field(f"{field.name}[-{back}]", field.unit)
            for back in range(self.history, 0, -1)
            for field in cases.outputs
        )
        step = () if self.dt is not None else (Field(STEP),)
        return replace(
            cases,
            inputs=(*cases.inputs, *step, *before),
            derived=(),
            timed=False,
            # where a point has moved to is shifted by some; inputs cannot be
            symmetries=tuple(
                self._extended(one) for one in cases.symmetries if not any(one.output_shifts)
            ),
        )

    def _extended(self, one: Symmetry) -> Symmetry:
        """Frames change their signs as outputs do."""
        if not (one.input_signs or one.output_signs):
            return one
        cases = self.cases
        fields, numbers = len(cases.inputs), len(cases.parameters)
        own = one.input_signs or (1.0,) * (fields + numbers)
        outputs = one.output_signs or (1.0,) * len(cases.outputs)
        step = () if self.dt is not None else (1.0,)
        signs = (*own[:fields], *step, *(outputs * self.history), *own[fields:])
        return replace(one, input_signs=signs)

    @property
    def last_channels(self) -> slice:
        """Of the network's inputs: those of the frames before, k-h first."""
        start = len(self.cases.inputs) + (self.dt is None)
        return slice(start, start + self.history * len(self.cases.outputs))

    def given(self, inputs: Floats, dt: Any, before: Sequence[Floats]) -> Floats:
        """Fields that the network is given, (..., N, C), from those of a case and h frames."""
        lead = before[-1].shape[:-1]
        parts = [np.broadcast_to(inputs, (*lead, inputs.shape[-1]))]
        if self.dt is None:
            parts.append(np.broadcast_to(np.asarray(dt, np.float32)[..., None, None], (*lead, 1)))
        return np.concatenate([*parts, *before], axis=-1)

    def exists(self, masks: Mapping[str, Bools]) -> Bools | None:
        """Where every output exists, (..., N, Cu); None where all do everywhere."""
        outputs = self.cases.outputs
        if not any(field.mask for field in outputs):
            return None
        everywhere = np.ones_like(next(iter(masks.values())))
        return np.stack([masks[f.mask] if f.mask else everywhere for f in outputs], axis=-1)

    def check_steps(self, times: Sequence[float], where: str) -> None:
        """Refuse frames that are further apart, or closer, than those trained on."""
        steps = np.diff(times)
        if self.dt is None or not len(steps):
            return
        off = np.abs(steps - self.dt).argmax()
        if abs(steps[off] - self.dt) > 2 * EVEN * self.dt:
            raise DataError(
                f"{where}: frames {off} and {off + 1} are {steps[off]:g} apart, the model was "
                f"trained on steps of {self.dt:g}"
            )

    def to_dict(self) -> dict[str, Any]:
        return {"history": self.history, "cases": self.cases.to_dict(), "times": [*self.times]}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Frames:
        times = tuple(float(t) for t in value["times"])
        return cls(int(value["history"]), Problem.from_dict(value["cases"]), times)


@dataclass(frozen=True)
class Computed:
    """The shape of an array that is computed sample by sample."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any] = FLOAT

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        raise TypeError("computed sample by sample: ask the dataset for samples")


@dataclass(frozen=True)
class View:
    """Samples of another dataset, seen as its steps or as the frames that steps lead to."""

    frames: Frames
    data: Dataset  # the whole time series
    steps: bool

    def sample(self, index: int, moment: int | None) -> Sample:
        """A sample, or one moment of it: number 0 is the first frame that has enough before it."""
        h = self.frames.history
        if not self.steps:
            return self._later(index, moment)
        if moment is None:
            sample, dt = self.data.sample(index), np.diff(self._times)[h - 1 :]
            count = len(self._times) - h
            u = [sample.outputs[back : back + count] for back in range(h + 1)]
            inputs = sample.inputs[h:] if sample.inputs.ndim == 3 else sample.inputs
        else:
            parts = [self.data.sample(index, moment + back) for back in range(h + 1)]
            sample, u, inputs = parts[-1], [part.outputs for part in parts], parts[-1].inputs
            dt = np.array(self._times[moment + h] - self._times[moment + h - 1])
        exists = self.frames.exists(sample.masks)
        if exists is not None:
            u = [np.where(exists, z, np.float32(0)) for z in u]
        given = self.frames.given(inputs, dt, u[:-1])
        none = np.empty(0, np.float32)
        return replace(sample, inputs=given, outputs=u[-1] - u[-2], derived=none, weights={})

    def _later(self, index: int, moment: int | None) -> Sample:
        h = self.frames.history
        if moment is not None:
            return self.data.sample(index, moment + h)
        sample = self.data.sample(index)
        inputs = sample.inputs[h:] if sample.inputs.ndim == 3 else sample.inputs
        return replace(sample, inputs=inputs, outputs=sample.outputs[h:])

    @property
    def _times(self) -> NDArray[np.float64]:
        assert self.data.times is not None
        return self.data.times


def steps_of(data: Dataset, frames: Frames) -> Dataset:
    """The same cases in the same splits; their moments are the steps that a network learns."""
    problem, lead = frames.problem, _lead(data, frames)
    return replace(
        _seen(data, frames, steps=True),
        problem=problem,
        inputs=Computed((*lead, len(problem.inputs))),
        outputs=Computed((*lead, len(problem.outputs))),
        derived=np.empty((len(data), 0), np.float32),
        weights={},
    )


def later_frames(data: Dataset, frames: Frames) -> Dataset:
    """The same cases without the first h frames: what a rollout is compared with."""
    return _seen(data, frames, steps=False)


def _seen(data: Dataset, frames: Frames, *, steps: bool) -> Dataset:
    assert data.times is not None
    lead, h = _lead(data, frames), frames.history
    timed = Computed((*lead, data.inputs.shape[-1])) if data.timed_inputs else data.inputs
    return replace(
        data,
        inputs=timed,
        outputs=Computed((*lead, data.outputs.shape[-1])),
        times=data.times[h:],
        view=View(frames, data, steps),
    )


def _lead(data: Dataset, frames: Frames) -> tuple[int, ...]:
    """Axes of samples, times and points that the views have."""
    shape, axis = list(data.outputs.shape[:-1]), 0 if data.ragged else 1
    shape[axis] -= frames.history
    if shape[axis] < 1:
        raise DataError(
            f"{data.problem.name}: {shape[axis] + frames.history} frames, while "
            f"{frames.history} are needed before the first that is predicted"
        )
    return tuple(shape)
