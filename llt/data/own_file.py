"""A user's own HDF5 file of arrays alone: its problem is told from their names and shapes.

points, outputs/NAME and what else a dataset file may hold (docs/data-format.md). A `unit` is an
attribute of a field, a mask has the name of the output that exists on its points only.
"""

from __future__ import annotations

import h5py

from llt.data.contents import attribute, entry, members
from llt.data.layout import DIMENSIONS, find_rows
from llt.data.splits import NAMES, Splits
from llt.errors import DataError, unknown
from llt.problem import Field, Problem

ATTRIBUTES = ("format", "problem", "provenance", "hash")


def is_own_file(file: h5py.File) -> bool:
    ours = any(name in file.attrs for name in ATTRIBUTES)  # then it is a dataset file, damaged
    return not ours and "points" in file and isinstance(file.get("outputs"), h5py.Group)


def infer_problem(file: h5py.File, name: str) -> Problem:
    """The problem of a file that does not say so; its fields are in alphabetical order."""
    points, timed = entry(file, "points").shape, "times" in file
    outputs = {key: entry(file, f"outputs/{key}").shape for key in members(file, "outputs")}
    if not outputs:
        raise DataError("no fields in outputs")
    grid = None
    if "offsets" not in file:
        first, shape = next(iter(outputs.items()))
        when = entry(file, "times").shape if timed else ()
        rows = find_rows(points, shape, when=when, where=f"outputs/{first}")
        grid = rows if len(rows) > 1 else None
    elif len(points) != 2 or points[-1] not in DIMENSIONS:
        raise DataError(f"points have shape {points}, expected (P, 2) or (P, 3) beside offsets")
    masks = members(file, "masks")
    for key in masks:
        if key not in outputs:
            raise DataError(f"masks: {unknown('output', key, outputs)}")
    problem = Problem(
        name=attribute(file, "name", name),
        space_dim=points[-1],
        inputs=_fields(file, "inputs"),
        outputs=tuple(
            Field(key, _unit(file, f"outputs/{key}"), mask=key if key in masks else "")
            for key in outputs
        ),
        parameters=_fields(file, "parameters"),
        derived=_fields(file, "derived"),
        grid=grid,
        timed=timed,
    )
    problem.check_names()
    return problem


def own_splits(file: h5py.File) -> Splits:
    """Those of the file; where it has none, 80, 10 and 10 % of its samples."""
    if "splits" in file:
        missing = [name for name in NAMES if name not in members(file, "splits")]
        if missing:
            raise DataError(f"splits: no {missing[0]!r}; give train, val and test")
        return Splits.of(*(entry(file, f"splits/{name}")[()] for name in NAMES))
    if "offsets" in file:
        return Splits.random(len(entry(file, "offsets")) - 1)
    return Splits.random(len(entry(file, f"outputs/{members(file, 'outputs')[0]}")))


def _fields(file: h5py.File, group: str) -> tuple[Field, ...]:
    return tuple(Field(key, _unit(file, f"{group}/{key}")) for key in members(file, group))


def _unit(file: h5py.File, name: str) -> str:
    return attribute(entry(file, name), "unit")
