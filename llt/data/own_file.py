"""A user's own HDF5 file of arrays alone: its problem is told from their names and shapes.

points, outputs/NAME and what else a dataset file may hold (docs/data-format.md). A `unit` is an
attribute of a field, a mask has the name of the output that exists on its points only.
"""

from __future__ import annotations

import h5py

from llt.data.layout import DIMENSIONS, find_rows
from llt.data.splits import NAMES, Splits
from llt.errors import DataError, unknown
from llt.problem import Field, Problem


def is_own_file(file: h5py.File) -> bool:
    return "points" in file and isinstance(file.get("outputs"), h5py.Group)


def infer_problem(file: h5py.File, name: str) -> Problem:
    """The problem of a file that does not say so; its fields are in alphabetical order."""
    points, timed = file["points"].shape, "times" in file
    outputs = {key: value.shape for key, value in file["outputs"].items()}
    if not outputs:
        raise DataError("no fields in outputs")
    grid = None
    if "offsets" not in file:
        first, shape = next(iter(outputs.items()))
        when = file["times"].shape if timed else ()
        rows = find_rows(points, shape, when=when, where=f"outputs/{first}")
        grid = rows if len(rows) > 1 else None
    elif len(points) != 2 or points[-1] not in DIMENSIONS:
        raise DataError(f"points have shape {points}, expected (P, 2) or (P, 3) beside offsets")
    masks = file.get("masks", {})
    for key in masks:
        if key not in outputs:
            raise DataError(f"masks: {unknown('output', key, outputs)}")
    problem = Problem(
        name=str(file.attrs.get("name", name)),
        space_dim=points[-1],
        inputs=_fields(file, "inputs"),
        outputs=tuple(
            Field(key, _unit(file["outputs"][key]), mask=key if key in masks else "")
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
        missing = [name for name in NAMES if name not in file["splits"]]
        if missing:
            raise DataError(f"splits: no {missing[0]!r}; give train, val and test")
        return Splits.of(*(file[f"splits/{name}"][()] for name in NAMES))
    first = next(iter(file["outputs"].values()))
    return Splits.random(len(file["offsets"]) - 1 if "offsets" in file else len(first))


def _fields(file: h5py.File, group: str) -> tuple[Field, ...]:
    return tuple(Field(key, _unit(value)) for key, value in file.get(group, {}).items())


def _unit(values: h5py.Dataset) -> str:
    return str(values.attrs.get("unit", ""))
