"""Cases of a report in pictures: what was given, the reference, the prediction, the error.

All fields are shown; on timed problems the worst case at three times, the others at the last.
Errors are signed and in percent of the field's range over the shown cases, on one scale for all.
Where outputs are called x and y, as in Plasticity, they are where the points have moved to, and
the other fields are drawn there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.sample import Floats, Sample
from llt.evaluation.metrics import Evaluation
from llt.evaluation.panels import (
    Panel,
    View,
    error_scale,
    field_scale,
    find_view,
    input_scale,
)
from llt.surrogate import Surrogate

MOST_INPUTS = 6  # fields that are shown of those given


@dataclass(frozen=True)
class Moment:
    """A sample at one of its times, or as it is where there are none."""

    sample: Sample
    t: float | None
    u: Floats  # (N, Cu), predicted


@dataclass(frozen=True)
class Case:
    """A sample with what was predicted."""

    label: str
    place: int  # in the evaluation
    moments: list[Moment]


Row = list[tuple[str, Panel]]  # panels beside each other, with their captions


def choose(evaluation: Evaluation) -> list[tuple[str, int]]:
    """The worst case, the median and the best, as places in the evaluation, each shown once."""
    order = evaluation.worst_first
    if len(order) == 1:
        return [("Only", order[0])]
    middle = [("Median", order[len(order) // 2])] if len(order) > 2 else []
    return [("Worst", order[0]), *middle, ("Best", order[-1])]


def predicted(surrogate: Surrogate, data: Dataset, evaluation: Evaluation) -> list[Case]:
    cases = []
    for rank, (label, place) in enumerate(choose(evaluation)):
        sample = data.sample(evaluation.indices[place])
        moments = [_moment(surrogate, data, sample, k) for k in _moments(data, several=rank == 0)]
        cases.append(Case(label, place, moments))
    return cases


def _moments(data: Dataset, *, several: bool) -> list[int]:
    if data.times is None:
        return [0]
    last = len(data.times) - 1
    return sorted({last // 3, 2 * last // 3, last}) if several else [last]


def _moment(surrogate: Surrogate, data: Dataset, sample: Sample, number: int) -> Moment:
    t = None
    if data.times is not None:
        sample, t = sample.at(number), float(data.times[number])
    shape = data.problem.grid or (len(sample.points),)
    x, a = (z.reshape(*shape, z.shape[-1]) for z in (sample.points, sample.given))
    return Moment(sample, t, surrogate.predict(x, a, t, check=False).reshape(sample.outputs.shape))


class Gallery:
    """Rows of panels of some cases, on scales that they share."""

    def __init__(self, surrogate: Surrogate, data: Dataset, cases: Sequence[Case]) -> None:
        self.problem, self.cases = data.problem, cases
        self.surrogate = surrogate
        shown = [moment for case in cases for moment in case.moments]
        self.ranges = [self._range(shown, channel) for channel in range(len(self.problem.outputs))]
        self.views: dict[bool, View] = {
            moved: self._view(shown, moved=moved) for moved in {False, bool(self._moved)}
        }
        errors = [
            np.abs(self._error(moment, channel))
            for moment in shown
            for channel in range(len(self.ranges))
        ]
        self.limit = nice(float(np.quantile(np.concatenate(errors), 0.995)))

    def rows(self, case: Case) -> list[Row]:
        """What was given, then every field at every moment; one of each stand side by side."""
        given = self._given(case)
        rows = [
            self._answers(case, moment, channel)
            for moment in case.moments
            for channel in range(len(self.ranges))
        ]
        if len(given) == 1 and len(rows) == 1:
            return [given + rows[0]]
        return ([given] if given else []) + rows

    def overshoot(self, case: Case, channel: int) -> tuple[float, float]:
        """How far predictions lie below and above the reference's range, in parts of it."""
        pairs = [self._pair(moment, channel) for moment in case.moments]
        u, truth = (np.concatenate(part) for part in zip(*pairs, strict=True))
        size = float(np.ptp(truth)) or 1.0
        return float(truth.min() - u.min()) / size, float(u.max() - truth.max()) / size

    @property
    def _moved(self) -> tuple[int, ...]:
        """The outputs that are coordinates."""
        names = self.problem.output_names
        wanted = ("x", "y", "z")[: self.problem.space_dim]
        return tuple(map(names.index, wanted)) if set(wanted) <= set(names) else ()

    def _view(self, shown: Sequence[Moment], *, moved: bool) -> View:
        clouds = [moment.sample.points for moment in shown]
        if moved:
            outputs = [z for moment in shown for z in (moment.sample.outputs, moment.u)]
            return find_view([z[:, self._moved] for z in outputs])
        box = self.surrogate.normalizer
        return find_view(clouds, (box.x_low.cpu().numpy(), box.x_size.cpu().numpy()))

    def _exists(self, moment: Moment, channel: int) -> NDArray[np.bool_]:
        mask = self.problem.outputs[channel].mask
        return moment.sample.masks[mask] if mask else np.full(len(moment.u), True)

    def _pair(self, moment: Moment, channel: int) -> tuple[Floats, Floats]:
        here = self._exists(moment, channel)
        return moment.u[here, channel], moment.sample.outputs[here, channel]

    def _range(self, shown: Sequence[Moment], channel: int) -> float:
        truth = np.concatenate([self._pair(moment, channel)[1] for moment in shown])
        return float(np.ptp(truth)) or float(np.abs(truth).max()) or 1.0

    def _error(self, moment: Moment, channel: int) -> Floats:
        u, truth = self._pair(moment, channel)
        return 100 * (u - truth) / np.float32(self.ranges[channel])

    def _given(self, case: Case) -> Row:
        sample, panels = case.moments[-1].sample, []
        for channel, field in enumerate(self.problem.inputs[:MOST_INPUTS]):
            values = sample.inputs[:, channel]
            panel = Panel(
                sample.points,
                values,
                input_scale(values),
                field.unit,
                self._grid,
                view=self.views[False],
            )
            panels.append((f"given: {field.name}", panel))
        return panels

    @property
    def _grid(self) -> tuple[int, ...] | None:
        return self.problem.grid if self.problem.space_dim == 2 else None

    def _answers(self, case: Case, moment: Moment, channel: int) -> Row:
        """Reference, prediction and error of a field."""
        field, here = self.problem.outputs[channel], self._exists(moment, channel)
        pairs = [self._pair(other, channel) for other in case.moments]
        truth = np.concatenate([pair[1] for pair in pairs])
        # a mesh of which some points are missing is no surface and no grid
        whole = bool(here.all())
        grid = self._grid if whole else None
        moved = bool(self._moved) and channel not in self._moved
        at = [moment.sample.points] * 3
        if moved:
            places = (moment.sample.outputs, moment.u, moment.sample.outputs)
            at = [z[:, self._moved] for z in places]
        u, v = self._pair(moment, channel)
        error = self._error(moment, channel)
        values = [
            ("reference", v, field_scale(truth, v), field.unit),
            ("prediction", u, field_scale(truth, u), field.unit),
            ("error", error, error_scale(self.limit, error), "% of the field's range"),
        ]
        view = self.views[moved]
        name = field.name if moment.t is None else f"{field.name} at t = {moment.t:.4g}"
        return [
            (
                f"{name}: {title}",
                Panel(points[here], z, scale, unit, grid, dots=not whole, view=view),
            )
            for points, (title, z, scale, unit) in zip(at, values, strict=True)
        ]


def nice(value: float) -> float:
    """The next round number that is not below a value."""
    if not 0 < value < float("inf"):
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next(
        (step * power for step in (1, 1.5, 2, 3, 4, 5, 6, 8) if value <= step * power), 10 * power
    )
