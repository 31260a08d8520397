"""The states of a case in time, each as one mesh, whatever files they are in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from llt.data import formats
from llt.data.folder.cases import Case
from llt.data.formats import Mesh, stacked
from llt.errors import DataError

FIELDS = ("point_fields", "cell_fields")


def times_of(case: Case) -> tuple[float, ...]:
    """The times of a case, growing; () where it has one state only."""
    if case.moments:
        return case.moments
    if case.row is not None:
        return stacked.read_times(case.files[0])
    found = [times for times in map(formats.times, case.files) if times]
    if any(times != found[0] for times in found):
        raise DataError(f"{case.where}: its files have different times; choose one with --files")
    return found[0] if found else ()


def read_state(case: Case, time: float | None = None) -> Mesh:
    """One state; the last where no time is asked for."""
    if case.row is not None:
        return stacked.read(case.files[0], case.row, time)
    if case.moments:
        index = -1 if time is None else case.moments.index(time)
        return formats.read(case.files[index])
    first, *others = (_read(path, time) for path in case.files)
    for path, other in zip(case.files[1:], others, strict=True):
        first = _joined(case, first, other, path.name)
    return first


def _read(path: Path, time: float | None) -> Mesh:
    """A file without times belongs to all of them."""
    return formats.read(path, time if time is not None and formats.times(path) else None)


def _joined(case: Case, a: Mesh, b: Mesh, name: str) -> Mesh:
    """The fields of two files that have the same points."""
    if a.points.shape != b.points.shape or not np.allclose(a.points, b.points, rtol=1e-6, atol=0):
        raise DataError(
            f"{case.where}: {name} has other points ({len(b.points)}) than {case.files[0].name} "
            f"({len(a.points)}); choose files of one mesh, as in --files {case.files[0].name}"
        )
    centers = a.centers if a.centers is not None else b.centers
    if {len(m.centers) for m in (a, b) if m.centers is not None} - {
        0 if centers is None else len(centers)
    }:
        raise DataError(f"{case.where}: {name} has other cells than {case.files[0].name}")
    parts: dict[str, Any] = {}
    for part in (*FIELDS, "patches", "cell_patches", "case_fields", "units", "left_out"):
        mine, theirs = getattr(a, part), getattr(b, part)
        twice = [key for key in mine if key in theirs]
        if twice and part in FIELDS:
            raise DataError(f"{case.where}: {twice[0]!r} is in {name} and in another file")
        parts[part] = {**theirs, **mine}
    return replace(a, centers=centers, grid=a.grid or b.grid, **parts)
