"""A user's own arrays as a dataset.

Samples on a grid or with equally many points are stacked arrays, (S, ...); samples of different
sizes are lists of arrays. A field has one number at a point, on an axis of length 1 or on none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.checks import check_times
from llt.data.collate import collate
from llt.data.dataset import Dataset
from llt.data.layout import DIMENSIONS, Shape, find_rows
from llt.data.numbers import to_array, to_arrays
from llt.data.sample import Sample
from llt.data.splits import NAMES, Splits
from llt.errors import DataError, unknown
from llt.problem import BESIDE, Field, Problem


def from_arrays(
    name: str,
    *,
    points: Any,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    parameters: Mapping[str, Any],
    splits: Splits | Mapping[str, Any] | None,
    seed: int,
    units: Mapping[str, str],
    masks: Mapping[str, Any],
    times: Any,
) -> Dataset:
    """See `Dataset.from_arrays`."""
    if not outputs:
        raise DataError(f"{name}: no outputs; give the fields to be learned by name")
    _check_names(name, inputs, outputs, parameters, units, masks)
    moments = None if times is None else to_array(times, f"{name}: times").reshape(-1)
    if moments is not None:
        check_times(moments, name)
    whens: tuple[Shape, ...] = ((),) if moments is None else ((len(moments),),)
    cases = _Cases(name, points, *next(iter(outputs.items())), whens[0])
    a = [cases.field(f"input {key!r}", value, (*whens, ())) for key, value in inputs.items()]
    u = {key: cases.field(f"output {key!r}", value, whens) for key, value in outputs.items()}
    exists = {key: cases.mask(f"mask of {key!r}", value) for key, value in masks.items()}
    for key, mask in exists.items():  # elsewhere nothing looks at it, and it may well be NaN
        u[key] = [np.where(here, part, 0) for here, part in zip(mask, u[key], strict=True)]
    numbers = [cases.numbers(f"parameter {key!r}", value) for key, value in parameters.items()]
    samples = [
        Sample(
            points=cases.points(i),
            inputs=_channels([field[i] for field in a], len(cases.points(i))),
            outputs=_channels([field[i] for field in u.values()]),
            masks={key: mask[i] for key, mask in exists.items()},
            parameters=np.array([column[i] for column in numbers]),
        )
        for i in range(cases.count)
    ]
    problem = Problem(
        name=name,
        space_dim=samples[0].points.shape[-1],
        inputs=tuple(Field(key, units.get(key, "")) for key in inputs),
        outputs=tuple(
            Field(key, units.get(key, ""), mask=key if key in masks else "") for key in outputs
        ),
        parameters=tuple(Field(key, units.get(key, "")) for key in parameters),
        grid=cases.rows if len(cases.rows) > 1 else None,
        timed=moments is not None,
    )
    parts = _splits(name, splits, cases.count, seed)
    return collate(problem, samples, parts, times=moments, provenance={"source": "arrays"})


class _Cases:
    """The samples behind arrays: how many there are, and the shape of their points."""

    def __init__(self, name: str, points: Any, first: str, output: Any, when: Shape) -> None:
        self.name = name
        self.rows: Shape = ()  # (N,) or the grid; () where samples differ in size
        self._points = to_arrays(points, f"{name}: points")
        field, where = to_arrays(output, f"{name}: output {first!r}"), f"{name}: output {first!r}"
        self.count = len(self._points)
        if isinstance(self._points, list):
            self._check_list(self._points)
        elif isinstance(field, list):
            raise DataError(
                f"{where} is a list of arrays of different shapes, points are one "
                f"array of shape {self._points.shape}; give points as a list, too"
            )
        else:
            shape = self._points.shape
            self.rows = find_rows(shape, field.shape, when=when, where=where)
            self.count = len(field)
            self._shared = len(shape) == 1 + len(self.rows)
        if self.count == 0:
            raise DataError(f"{name}: no samples")

    def points(self, i: int) -> NDArray[Any]:
        """Of sample i: (N, d)."""
        if isinstance(self._points, list):
            return self._points[i]
        part = self._points if self._shared else self._points[i]
        return part.reshape(-1, part.shape[-1])

    def field(self, what: str, value: Any, leads: Sequence[Shape]) -> list[NDArray[Any]]:
        """One array for each sample, (N,) or with times (T, N).

        Args:
            leads: what may stand before the points of a sample: its times or nothing.
        """
        values = to_arrays(value, f"{self.name}: {what}")
        count = len(values) if isinstance(values, list) or values.ndim else 0
        if count != self.count:
            raise DataError(f"{self.name}: {what} has {count} samples, expected {self.count}")
        return [self._part(what, i, part, leads) for i, part in enumerate(values)]

    def mask(self, what: str, value: Any) -> list[NDArray[Any]]:
        """Where a field exists; one array may serve all samples."""
        values = to_arrays(value, f"{self.name}: {what}")
        if not isinstance(values, list) and values.shape == self.rows:
            values = np.broadcast_to(values, (self.count, *self.rows))
        return [part.astype(bool) for part in self.field(what, values, [()])]

    def numbers(self, what: str, value: Any) -> NDArray[Any]:
        """One for each sample: (S,)."""
        values = to_array(value, f"{self.name}: {what}")
        if values.shape not in ((self.count,), (self.count, 1)):
            raise DataError(
                f"{self.name}: {what} has shape {values.shape}, expected "
                f"({self.count},): one number for each sample"
            )
        return values.reshape(-1)

    def _part(self, what: str, i: int, part: NDArray[Any], leads: Sequence[Shape]) -> NDArray[Any]:
        rows = self.rows or self.points(i).shape[:1]
        fits = list(dict.fromkeys((*lead, *rows) for lead in leads))
        for right in fits:
            if part.shape in (right, (*right, 1)):
                return part.reshape(*right[: -len(rows)], -1)
        vector = part.shape[:-1] in fits
        raise DataError(
            f"{self.name}: {what} has shape {part.shape} in sample {i}, expected "
            f"{' or '.join(map(str, fits))}"
            + ("; give the components of a vector as fields of their own" if vector else "")
        )

    def _check_list(self, points: list[NDArray[Any]]) -> None:
        """Samples of different sizes."""
        for i, part in enumerate(points):
            if part.ndim != 2 or part.shape[-1] not in DIMENSIONS:
                raise DataError(
                    f"{self.name}: points have shape {part.shape} in sample {i}, expected "
                    "(points, 2) or (points, 3) in a list of samples of different sizes"
                )


def _channels(fields: list[NDArray[Any]], count: int = 0) -> NDArray[Any]:
    """Fields (N,) or (T, N) as channels; one that does not change stands beside those that do."""
    if not fields:
        return np.empty((count, 0))
    return np.stack(np.broadcast_arrays(*fields), axis=-1)


def _splits(name: str, given: Splits | Mapping[str, Any] | None, count: int, seed: int) -> Splits:
    if given is None:
        return Splits.random(count, seed)
    if isinstance(given, Splits):
        return given
    for key in (*given, *NAMES):
        if key not in NAMES:
            raise DataError(f"{name}: splits: {unknown('split', key, NAMES)}")
        if key not in given:
            raise DataError(f"{name}: splits: no {key!r}; give train, val and test")
    parts = (to_array(given[key], f"{name}: split {key!r}") for key in NAMES)
    # what is marked with True, or numbers of samples
    return Splits.of(*(np.flatnonzero(p) if p.dtype == bool else p for p in parts))


def _check_names(
    name: str,
    inputs: Iterable[str],
    outputs: Iterable[str],
    parameters: Iterable[str],
    units: Iterable[str],
    masks: Iterable[str],
) -> None:
    fields = [*inputs, *outputs, *parameters]
    for key in fields:
        if "/" in key or key in ("", ".", *BESIDE):
            raise DataError(f"{name}: a field cannot be called {key!r}; choose another name")
    for what, keys, known in (("units", units, fields), ("masks", masks, list(outputs))):
        for key in keys:
            if key not in known:
                raise DataError(f"{name}: {what}: {unknown('field', key, known)}")
