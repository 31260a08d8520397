"""Views of time series: as the steps that a network learns, or as the frames that these lead to.

Nothing is copied: a sample is computed when it is asked for, from that of the whole time series,
so that it may stay in its file. Shapes: T frames, h of them before each, N points, Cu outputs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from llt.data.frames import Frames
from llt.data.sample import Sample
from llt.errors import DataError

if TYPE_CHECKING:
    from llt.data.dataset import Dataset

FLOAT = np.dtype(np.float32)


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
