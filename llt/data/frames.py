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

from llt.data.sample import Bools, Floats
from llt.errors import ConfigError, DataError
from llt.problem import Field, Problem, Symmetry

if TYPE_CHECKING:
    from llt.data.dataset import Dataset

STEP = "time step"  # the name of the input, where steps differ
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

    def __str__(self) -> str:
        dt = self.dt
        spacing = "unevenly spaced: the time step is an input" if dt is None else f"{dt:g} apart"
        before = "the one" if self.history == 1 else f"the {self.history}"
        return f"{len(self.times)} frames, {spacing}; each predicted from {before} before it"

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

    def later(self, own: Any, steps: int, where: str = "") -> NDArray[np.float64]:
        """Times of the first h frames of a case and of so many after them.

        Args:
            own: of the case, as far as they are known; else those trained on, from where it begins.
        """
        h, trained = self.history, np.array(self.times)
        first = np.asarray([] if own is None else own, float)
        if len(first) < h:
            first = trained[:h]
        if len(first) == h:
            first = np.append(first, trained[h:] + (first[-1] - trained[h - 1]))
        missing = h + steps - len(first)
        if missing > 0:
            if self.dt is None:
                raise DataError(
                    f"{where or self.cases.name}: {steps} steps, {len(first) - h} are known, of "
                    "different lengths; ask for fewer"
                )
            first = np.append(first, first[-1] + self.dt * np.arange(1, missing + 1))
        return first[: h + steps]

    def check_steps(self, times: Sequence[float], where: str) -> None:
        """Refuse frames that are further apart, or closer, than those trained on."""
        steps = np.diff(times)
        if self.dt is None or not len(steps):
            return
        wrong = np.flatnonzero(np.abs(steps - self.dt) > 2 * EVEN * self.dt)
        if len(wrong):
            off = wrong[0]
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
