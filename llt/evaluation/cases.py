"""Cases of a report in pictures: what was given, the reference, the prediction, the error.

All fields are shown, on timed problems at the last time; of the worst case there are others, for
`evaluation.strip` and `evaluation.film`. Errors are signed and in percent of the field's range over
the shown cases, on one scale for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.sample import Floats
from llt.evaluation.metrics import Evaluation
from llt.evaluation.moments import Moment, moments_of, moved_to, undeformed_view, view_of
from llt.evaluation.panels import Panel, View, error_scale, field_scale, input_scale, nice
from llt.surrogate import Surrogate

MOST_INPUTS = 6  # fields that are shown of those given
STRIP = 5  # times in a strip
MOST_FRAMES, MOST_DRAWN = 24, 400_000  # of a film: frames, and points in all of them


@dataclass(frozen=True)
class Case:
    """A sample with what was predicted."""

    label: str
    place: int  # in the evaluation
    moments: list[Moment]  # in time

    @property
    def strip(self) -> list[Moment]:
        """Some of them, with the last; without the first, at which little has happened."""
        return [self.moments[number] for number in spread(len(self.moments), STRIP + 1)[-STRIP:]]


Row = list[tuple[str, Panel]]  # panels beside each other, with their captions


def choose(evaluation: Evaluation) -> list[tuple[str, int]]:
    """The worst case, the median and the best, as places in the evaluation, each shown once."""
    order = evaluation.worst_first
    if len(order) == 1:
        return [("Only", order[0])]
    middle = [("Median", order[len(order) // 2])] if len(order) > 2 else []
    return [("Worst", order[0]), *middle, ("Best", order[-1])]


def predicted(surrogate: Surrogate, data: Dataset, evaluation: Evaluation) -> list[Case]:
    """The worst case at many times, the others at the last."""
    cases = []
    for rank, (label, place) in enumerate(choose(evaluation)):
        index = evaluation.indices[place]
        numbers = _frames(data, int(data.counts[index])) if rank == 0 else last(data)
        cases.append(Case(label, place, moments_of(surrogate, data, index, numbers)))
    return cases


def _frames(data: Dataset, num_points: int) -> list[int]:
    """Times of a film, evenly spread; few of a large mesh, which takes long to draw."""
    times = 1 if data.times is None else len(data.times)
    return spread(times, int(np.clip(MOST_DRAWN // num_points, STRIP, MOST_FRAMES)))


def last(data: Dataset) -> list[int]:
    """The number of the last time."""
    return [0 if data.times is None else len(data.times) - 1]


def spread(count: int, most: int) -> list[int]:
    """Numbers from 0 to count - 1, all or evenly spread with both ends among them."""
    return sorted({round(place) for place in np.linspace(0, count - 1, min(count, most))})


class Gallery:
    """Rows of panels of some cases, on scales that they share."""

    def __init__(self, surrogate: Surrogate, data: Dataset, cases: Sequence[Case]) -> None:
        self.problem, self.cases = data.problem, cases
        shown = [moment for case in cases for moment in case.strip]
        self.ranges = [self._range(shown, channel) for channel in range(len(self.problem.outputs))]
        self._moved = moved_to(self.problem)
        self.views: dict[bool, View] = {
            bool(self._moved): view_of(surrogate, self.problem, shown),
            False: undeformed_view(surrogate, shown),
        }
        errors = [
            np.abs(self._error(moment, channel))
            for moment in shown
            for channel in range(len(self.ranges))
        ]
        self.limit = nice(float(np.quantile(np.concatenate(errors), 0.995)))

    def rows(self, case: Case) -> list[Row]:
        """What was given, then every field at the last moment; one of each stand side by side."""
        given = self.given(case)
        rows = [self.answers(case, channel) for channel in range(len(self.ranges))]
        if len(given) == 1 and len(rows) == 1:
            return [given + rows[0]]
        return ([given] if given else []) + rows

    def overshoot(self, case: Case, channel: int) -> tuple[float, float]:
        """How far predictions lie below and above the reference's range, in parts of it."""
        pairs = [self._pair(moment, channel) for moment in case.strip]
        u, truth = (np.concatenate(part) for part in zip(*pairs, strict=True))
        size = float(np.ptp(truth)) or 1.0
        return float(truth.min() - u.min()) / size, float(u.max() - truth.max()) / size

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

    def given(self, case: Case) -> Row:
        """The fields that were given."""
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

    def answers(self, case: Case, channel: int) -> Row:
        """Reference, prediction and error of a field at the last moment."""
        moment = case.moments[-1]
        field, here = self.problem.outputs[channel], self._exists(moment, channel)
        pairs = [self._pair(other, channel) for other in case.strip]
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
