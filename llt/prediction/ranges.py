"""What a surrogate was trained on, in numbers, and how far outside of it a question lies.

Coordinates in other units, swapped axes, a field a thousand times too large: a model answers
all of them. Here they are noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.prediction.question import Question
from llt.problem import Problem

MARGIN = 0.1  # of a range, by which it may be left without a word
FACTOR = 10.0  # from which on it is told how many times larger or smaller something is
CORNER = 0.25  # of the mesh, by which its corners may lie elsewhere: other grids have others
AXES = "xyz"
Grid = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Range:
    """Of one quantity over the training samples."""

    low: float
    high: float
    least: float = 0.0  # the smallest size in a sample: extent of a coordinate, largest |value|


@dataclass(frozen=True, slots=True)
class Ranges:
    """Of all that a surrogate is given."""

    points: tuple[Range, ...]  # of every coordinate
    inputs: tuple[Range, ...]  # of every field, then of every case parameter
    times: Range | None = None
    moments: tuple[float, ...] = ()  # the times themselves; older checkpoints do not have them
    corners: tuple[tuple[float, ...], ...] = ()  # of a structured mesh that all samples share

    @classmethod
    def fit(cls, data: Dataset) -> Ranges:
        """Over the training split, one sample in memory at a time."""
        train, problem = data.split("train"), data.problem
        samples = map(data.sample, train)
        limits = [(_limits(sample.points), _limits(sample.inputs)) for sample in samples]
        x, a = (np.stack(part, axis=1) for part in zip(*limits, strict=True))  # (2, S, channels)
        numbers = data.parameters[train]
        mesh, grid = data.mesh, problem.grid
        return cls(
            points=tuple(map(_range, *x.swapaxes(1, 2), (x[1] - x[0]).T)),
            inputs=(
                *map(_range, *a.swapaxes(1, 2), np.abs(a).max(axis=0).T),
                *(Range(float(p.min()), float(p.max())) for p in numbers.T),
            ),
            times=None
            if data.times is None
            else Range(float(data.times.min()), float(data.times.max())),
            moments=() if data.times is None else tuple(data.times.tolist()),
            corners=() if mesh is None or grid is None else _tuples(mesh[_corners(grid)].tolist()),
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Ranges:
        return cls(
            points=tuple(Range(**part) for part in value["points"]),
            inputs=tuple(Range(**part) for part in value["inputs"]),
            times=Range(**value["times"]) if value["times"] else None,
            moments=tuple(value.get("moments", ())),
            corners=_tuples(value["corners"]),
        )

    def leave(self, problem: Problem, question: Question, times: Sequence[float | None]) -> str:
        """Where a question leaves them, in one line; empty where it does not."""
        notes = self._points_notes(question)
        names = problem.input_names + problem.parameter_names
        for name, known, channel in zip(
            names, self.inputs, np.moveaxis(question.a, -1, 0), strict=True
        ):
            low, high = channel.min(axis=1), channel.max(axis=1)
            sizes = np.maximum(np.abs(low), np.abs(high))
            largest = max(abs(known.low), abs(known.high))
            notes.append(_note(name, (low, high), sizes, known, largest))
        if self.times is not None and times[0] is not None:
            span = self.times.high - self.times.low
            moments = np.array(times, float)
            # between times there are others; before and after them nothing was seen
            notes.append(_note("time", (moments, moments), moments, self.times, span, margin=1e-6))
        notes = [note for note in notes if note]
        if not notes:
            return ""
        return f"{problem.name}: outside of what was trained on: {'; '.join(notes)}"

    def _points_notes(self, question: Question) -> list[str]:
        x = question.x if question.x.strides[0] else question.x[:1]
        channels = [x[..., axis] for axis in range(x.shape[-1])]
        low = np.stack([z.min(axis=1) for z in channels], axis=-1)  # (B, d)
        high = np.stack([z.max(axis=1) for z in channels], axis=-1)
        notes = []
        for axis, known in enumerate(self.points):
            ends = low[:, axis], high[:, axis]
            span = known.high - known.low
            notes.append(_note(AXES[axis], ends, ends[1] - ends[0], known, span))
        out = any(map(_is_out, low.T, high.T, self.points))
        if not out and not self._elsewhere(x, question.grid):
            return notes
        swapped = self._swapped(x, question.grid, low, high)
        if swapped or any(notes):
            return [swapped] if swapped else notes
        return ["the corners of the grid are not those of the training mesh, in their order"]

    def _elsewhere(self, x: NDArray[Any], grid: Grid, order: Sequence[int] | None = None) -> bool:
        """Whether corners of grids (B, N, d) lie away from those of the shared training mesh."""
        if not self.corners or grid is None:
            return False
        right = np.array(self.corners)  # (2^d, d)
        found = x[:, _corners(grid)]
        found = found if order is None else found[..., order]
        return bool((np.abs(found - right) > CORNER * np.ptp(right, axis=0)).any())

    def _swapped(self, x: NDArray[Any], grid: Grid, low: NDArray[Any], high: NDArray[Any]) -> str:
        """Coordinates that would be at home in another order."""

        def at_home(order: list[int]) -> bool:
            out = any(map(_is_out, low[:, order].T, high[:, order].T, self.points))
            return not out and not self._elsewhere(x, grid, order)

        orders = map(list, permutations(range(len(self.points))))
        order = next(filter(at_home, orders), None)
        if order is None:
            return ""
        moved = [AXES[axis] for axis, place in enumerate(order) if axis != place]
        given = _box(zip(low.min(axis=0), high.max(axis=0), strict=True))
        trained = _box((known.low, known.high) for known in self.points)
        return f"{' and '.join(moved)} look swapped: {given}, trained on {trained}"


def _note(
    name: str,
    ends: tuple[NDArray[Any], NDArray[Any]],
    sizes: NDArray[Any],
    known: Range,
    largest: float,
    margin: float = MARGIN,
) -> str:
    """What is to be said of one quantity of all cases.

    Args:
        sizes: of every case, as in `Range.least`.
        largest: of all training samples.
        margin: of the range, by which it may be left.
    """
    small = float(sizes.min()) * FACTOR < known.least
    if not small and not _is_out(*ends, known, margin):
        return ""
    low, high, size = float(ends[0].min()), float(ends[1].max()), float(sizes.max())
    given, trained = _words(low, high), _words(known.low, known.high)
    if size > FACTOR * largest > 0:
        times = f"{_number(size / largest, 3)} times larger"
        return f"{name} {given} is {times} than trained on ({trained})"
    if small and sizes.min() > 0:
        times = f"{_number(known.least / float(sizes.min()), 3)} times smaller"
        return f"{name} {given} is {times} than trained on ({trained})"
    return f"{name} {given} (trained on {trained})"


def _is_out(low: NDArray[Any], high: NDArray[Any], known: Range, margin: float = MARGIN) -> bool:
    span = known.high - known.low
    slack = margin * span if span > 0 else 1e-3 * abs(known.low)
    return bool(low.min() < known.low - slack or high.max() > known.high + slack)


def _limits(values: NDArray[Any]) -> NDArray[Any]:
    """Smallest and largest of every channel: (2, channels)."""
    lead = tuple(range(values.ndim - 1))
    return np.stack([values.min(axis=lead), values.max(axis=lead)])


def _range(low: NDArray[Any], high: NDArray[Any], sizes: NDArray[Any]) -> Range:
    return Range(float(low.min()), float(high.max()), float(sizes.min()))


@lru_cache(maxsize=16)
def _corners(grid: tuple[int, ...]) -> NDArray[np.int64]:
    """Of the points of a grid, one after the other, those at its corners: (2^d,)."""
    ends = np.array(list(product(*((0, n - 1) for n in grid))))
    return np.ravel_multi_index(tuple(ends.T), grid)


def _words(low: float, high: float) -> str:
    return _number(low) if low == high else f"{_number(low)} to {_number(high)}"


def _box(ends: Iterable[tuple[float, float]]) -> str:
    named = zip(AXES, ends, strict=False)
    return ", ".join(f"{axis} {_words(float(low), float(high))}" for axis, (low, high) in named)


def _number(value: float, digits: int = 4) -> str:
    short = float(f"{value:.{digits}g}")
    return f"{short:,.0f}" if 100 <= abs(short) < 1e9 else f"{short:.{digits}g}"


def _tuples(rows: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, rows))
