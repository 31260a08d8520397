"""A case in files as a question, and what the files know of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.folder.cases import Case
from llt.data.folder.plan import Plan, Source
from llt.data.folder.sample import Reader, fields_at
from llt.data.folder.states import read_state, times_of
from llt.data.formats import Mesh
from llt.data.formats.mesh import time_index
from llt.data.frames import Frames
from llt.errors import DataError
from llt.own_mesh.numbers import Numbers
from llt.own_mesh.series import Series, Times, begin

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class FileQuestion:
    """What a surrogate is asked of one case: N points, or cells by their centers."""

    points: Array  # (N, d) or (*grid, d)
    inputs: Mapping[str, Array]  # fields, (N,) or the grid, and case parameters by name
    times: Times  # asked for
    moments: tuple[float, ...]  # of the files, one for each time; () where they have none
    reader: Reader
    first: Mesh  # the state that inputs come from
    series: Series | None = None  # how a rollout begins, where it is one


def ask(
    case: Case,
    plan: Plan,
    numbers: Numbers,
    times: Times,
    frames: Frames | None = None,
    steps: int | None = None,
) -> FileQuestion:
    """Read what the surrogate is given; fields that are missing are named.

    Args:
        frames: of a model that has learned steps.
        steps: so many of them; None: as the case has, or as were trained on.
    """
    own = times_of(case) if plan.times else ()
    mesh = read_state(case, own[0] if own else None)
    needed = plan.masks if frames else [name for name in plan.masks if name in mesh.patches]
    reader = Reader(case, plan, mesh, needed)
    shape: tuple[int, ...] = reader.points.shape[:-1]
    if plan.grid is not None:
        shape = reader.grid(mesh)
        if len(shape) != len(plan.grid):
            right = " x ".join(map(str, plan.grid))
            raise DataError(f"{case.where}: no structured grid, expected one as {right}")
    series = None
    if frames is not None:
        series = begin(case, reader, frames, own, shape, steps=steps, asked=times)
        times, moments = _frames(series, own, times)
    else:
        times, moments = _moments(case, plan, own, times)
    fields = reader.channels(mesh, plan.inputs)
    names = [name for source in plan.inputs for name in source.channels]
    inputs = {name: fields[:, i].reshape(shape) for i, name in enumerate(names)}
    return FileQuestion(
        points=reader.points.astype(np.float32).reshape(*shape, -1),
        inputs=inputs | {name: np.array(value) for name, value in numbers.of(case, mesh).items()},
        times=times,
        moments=moments,
        reader=reader,
        first=mesh,
        series=series,
    )


def _frames(
    series: Series, own: tuple[float, ...], asked: Times
) -> tuple[Times, tuple[float, ...]]:
    """Times of the frames that are asked for, and of the files where these know them all."""
    known = len(series.times) <= len(own)
    moments = tuple(own[row] for row in series.rows) if known else ()
    return [series.times[row] for row in series.rows] if asked is None else asked, moments


def _moments(
    case: Case, plan: Plan, own: tuple[float, ...], times: Times
) -> tuple[Times, tuple[float, ...]]:
    """Times to ask for: those said, else the case's own, else those trained on."""
    if not plan.times:
        return None, ()
    if times is None:
        return [*(own or plan.times)], own
    try:
        asked = times if isinstance(times, list) else [times]
        return times, tuple(own[time_index(own, time)] for time in asked) if own else ()
    except DataError as error:
        raise DataError(f"{case.where}: {error}") from None


def known_answer(question: FileQuestion, source: Source, mesh: Mesh) -> Array | None:
    """An output as a file has it, (N, C); None where it has none."""
    plan = question.reader.plan
    here, _ = fields_at(mesh, plan.location)
    if source.name not in here:
        return None
    table = question.reader.table(mesh, source)
    # a case that has yet to run holds the state to begin with, as the folder 0 of OpenFOAM does
    unsolved = plan.last and len(table) > 1 and not np.ptp(table, axis=0).any()
    return None if unsolved else table


def misplaced(question: FileQuestion) -> list[str]:
    """Outputs that the file has, but not where they are predicted."""
    plan, where = question.reader.plan, question.reader.where
    here, there = fields_at(question.first, plan.location)
    return [
        f"{where}: {source.name} is not at {plan.location}, where it was trained and is predicted; "
        "the two are not compared"
        for source in plan.outputs
        if source.name in there and source.name not in here
    ]
