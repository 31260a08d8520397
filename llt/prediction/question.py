"""What a surrogate is asked, read from arrays as people have them.

Points are of one case or of many; fields are arrays by name, or channels of one array. What
belongs to one case serves all of many. Shapes: B cases, N points, d space dimensions, Ca channels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from llt.data.numbers import to_floats
from llt.errors import DataError, unknown
from llt.prediction.interpolation import on_grid
from llt.problem import Problem

Floats = NDArray[np.float32]
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """Cases one after the other, and how the answer is to be shaped."""

    x: Floats  # (B, N, d); points that all cases share are there once
    a: Floats  # (B, N, Ca)
    grid: Shape | None  # that the points lie on
    batch: Shape  # () for one case, else (B,)
    case: Shape  # (N,) or the grid
    named: bool  # the answer is wanted by name


@dataclass(frozen=True, slots=True)
class _Given:
    """Some channels of the input, as they came."""

    what: str
    values: Floats
    channels: int
    may_drop: bool  # the axis of the channel may be left out

    def fitted(self, fits: Callable[[Shape], bool]) -> Floats | None:
        """With an axis for the channels, where the axes before it fit."""
        shape = self.values.shape
        if self.may_drop and fits(shape):
            return self.values[..., None]
        return self.values if shape[-1:] == (self.channels,) and fits(shape[:-1]) else None


def read_question(
    problem: Problem,
    x: Any,
    a: Any,
    parameters: Mapping[str, Any] | None,
    mesh: Tensor | None,
) -> Question:
    """Reject what does not fit the problem; else say how it does.

    Args:
        mesh: (N, d) that all training samples had, for points that are left out.
    """
    named = isinstance(a, Mapping) or (a is None and parameters is not None)
    fields, numbers = _read(problem, a, parameters)
    if x is None:
        if mesh is None:
            raise DataError(f"{problem.name}: no points; this surrogate needs coordinates")
        case, own = _case_of_fields(problem, fields, len(mesh)), ()
        points = training_points(problem, mesh, case)
    else:
        points = to_floats(x, f"{problem.name}: points")
        case = _case_of_points(problem, points.shape)
        own = points.shape[: -1 - len(case)]
    channels = [_fit(problem, given, own, case) for given in fields]
    batch = _batch(problem, own, [z.shape[: -1 - len(case)] for z in channels], numbers)
    channels += [v.reshape(*v.shape, *[1] * len(case), 1) for v in numbers.values()]
    lead = (*batch, *case)
    channels = [np.broadcast_to(z, (*lead, z.shape[-1])) for z in channels]
    inputs = np.concatenate(channels, axis=-1) if channels else np.empty((*lead, 0), np.float32)
    if not (np.isfinite(points).all() and np.isfinite(inputs).all()):
        raise DataError(f"{problem.name}: points or inputs hold NaN or infinity")
    B, N = prod(batch), prod(case)
    return Question(
        x=np.broadcast_to(points.reshape(-1, N, points.shape[-1]), (B, N, points.shape[-1])),
        a=inputs.reshape(B, N, -1),
        grid=None if problem.grid is None else (case if len(case) > 1 else problem.grid),
        batch=batch,
        case=case,
        named=named,
    )


def check_positive(problem: Problem, question: Question, channels: Sequence[bool]) -> None:
    """Refuse what has no logarithm, where a model was trained on that of some channels."""
    names = problem.input_names + problem.parameter_names
    for channel, (name, log) in enumerate(zip(names, channels, strict=True)):
        if not log:
            continue
        low = question.a[..., channel].min(axis=-1)
        if not low.min() > 0:
            raise DataError(
                f"{problem.name}: {name} has a value of {low.min():g} in case {low.argmin()}; "
                "its logarithm was trained on, it must be above 0"
            )


def training_points(problem: Problem, mesh: Tensor, case: Shape) -> Floats:
    """The training mesh (N, d) for a case of this shape, (N,) or a grid: (*case, d)."""
    points = mesh if len(case) == 1 else on_grid(mesh, problem, case)
    return points.reshape(*case, -1).cpu().numpy()


def read_times(problem: Problem, t: Any) -> tuple[list[float] | list[None], bool]:
    """The times to be asked for, None on problems without; and whether they came as a list."""
    name = problem.name
    if not problem.timed:
        if t is not None:
            raise DataError(f"{name}: t={t}, but the problem has no times; leave t out")
        return [None], False
    if t is None:
        raise DataError(f"{name}: the problem is timed, pass the output time t")
    times = to_floats(t, f"{name}: t").astype(float)
    if times.ndim > 1 or not times.size or not np.isfinite(times).all():
        raise DataError(f"{name}: t={t}, expected a number or a list of numbers")
    return times.reshape(-1).tolist(), times.ndim == 1


def _read(
    problem: Problem, a: Any, parameters: Mapping[str, Any] | None
) -> tuple[list[_Given], dict[str, Floats]]:
    """Fields in their order, and the case parameters that came by name."""
    name = problem.name
    numbers = dict(parameters or {})
    if isinstance(a, Mapping):
        numbers |= {key: a[key] for key in a if key in problem.parameter_names}
        by_name = {key: a[key] for key in a if key not in problem.parameter_names}
        _check_names(name, "input", by_name, problem.input_names)
        fields = [
            _Given(f"input {key!r}", to_floats(by_name[key], f"{name}: input {key!r}"), 1, True)
            for key in problem.input_names
        ]
    else:
        count = len(problem.inputs) if parameters is not None else problem.in_channels
        fields = []
        if a is not None:
            fields = [_Given("inputs", to_floats(a, f"{name}: inputs"), count, False)]
        elif count:
            names = ", ".join(problem.input_names + problem.parameter_names)
            raise DataError(f"{name}: no inputs; give {names}")
    if isinstance(a, Mapping) or parameters is not None:
        _check_names(name, "parameter", numbers, problem.parameter_names)
    return fields, {
        key: _squeezed(to_floats(numbers[key], f"{name}: parameter {key!r}"))
        for key in problem.parameter_names
        if key in numbers
    }


def _squeezed(values: Floats) -> Floats:
    return values.reshape(()) if values.size == 1 else values


def _check_names(where: str, what: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    for key in given:
        if key not in names:
            known = unknown(what, key, names) if names else f"unknown {what} {key!r}; it has none"
            raise DataError(f"{where}: {known}")
    for key in names:
        if key not in given:
            raise DataError(f"{where}: no {what} {key!r}; give {', '.join(names)}")


def _case_of_points(problem: Problem, shape: Shape) -> Shape:
    """Which axes of coordinates belong to one case."""
    name, d, lead = problem.name, problem.space_dim, shape[:-1]
    if not lead or shape[-1] != d:
        raise DataError(f"{name}: points have shape {shape}, expected (..., {d})")
    if 0 in shape:
        raise DataError(f"{name}: points have shape {shape}: there are none")
    if problem.grid is None:
        if len(lead) > 2:
            raise DataError(f"{name}: points have shape {shape}, expected (N, d) or (B, N, d)")
        return lead[-1:]
    # a stack of flat cases on the training grid, (B, N, d), comes before a grid in the plane
    if len(lead) <= 2 and lead[-1] == problem.num_points:
        return lead[-1:]
    if len(lead) < d:
        raise DataError(
            f"{name}: {lead[-1]} points do not fill the grid {problem.grid}; "
            "give points as (*grid, d) for another resolution"
        )
    return lead[-d:]


def _case_of_fields(problem: Problem, fields: list[_Given], num_points: int) -> Shape:
    """The same from fields alone, which lie on the training mesh."""
    name, d, grid = problem.name, problem.space_dim, problem.grid
    if not fields:
        return grid or (num_points,)

    def fits(lead: Shape) -> bool:
        flat = len(lead) in (1, 2) and lead[-1] == num_points
        # a grid of one row is none: that axis is the channel's
        return flat or (grid is not None and len(lead) in (d, d + 1) and lead[-1] > 1)

    given = fields[0]
    values = given.fitted(fits)
    if values is None:
        kind = f"on a {d}-D grid" if grid else f"at the {num_points} points of the training mesh"
        raise DataError(
            f"{name}: {given.what} of shape {given.values.shape} is not {kind}; add points"
        )
    lead = values.shape[:-1]
    flat = len(lead) <= 2 and lead[-1] == num_points
    return lead[-1:] if flat else lead[-d:]


def _fit(problem: Problem, given: _Given, own: Shape, case: Shape) -> Floats:
    """Channels (*batch, *case, C) of as many cases as there are points of, or of many on one."""
    lead = (*own, *case)
    values = given.fitted(lambda s: s == lead or (not own and s[1:] == lead))
    if values is not None:
        return values
    wanted = lead if given.may_drop else (*lead, given.channels)
    fields = ", ".join(problem.input_names + problem.parameter_names) or "none"
    raise DataError(
        f"{problem.name}: {given.what} {'has' if given.may_drop else 'have'} shape "
        f"{given.values.shape}, expected {wanted}"
        + ("" if given.may_drop else f" (fields: {fields})")
    )


def _batch(problem: Problem, own: Shape, fields: list[Shape], numbers: dict[str, Floats]) -> Shape:
    """How many cases there are; what has none serves all."""
    found = {shape for shape in (own, *fields) if shape}
    if len(found) > 1:
        counts = " and ".join(str(shape[0]) for shape in sorted(found))
        raise DataError(f"{problem.name}: fields of {counts} cases in one call")
    batch = found.pop() if found else ()
    for key, values in numbers.items():
        if values.shape and not batch:
            batch = values.shape[:1]
        if values.shape not in ((), batch):
            raise DataError(
                f"{problem.name}: parameter {key!r} has shape {values.shape}, "
                f"expected () or {batch or '(B,)'}"
            )
    if 0 in batch:
        raise DataError(f"{problem.name}: there are no cases in inputs or parameters")
    return batch
