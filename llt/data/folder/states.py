"""The states of a case in time, each as one mesh, whatever files they are in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from llt.data import formats
from llt.data.folder.cases import Case
from llt.data.formats import Mesh
from llt.errors import DataError


def times_of(case: Case) -> tuple[float, ...]:
    """The times of a case, growing; () where it has one state only."""
    if case.moments:
        return case.moments
    found = [times for times in map(formats.times, case.files) if times]
    if any(times != found[0] for times in found):
        raise DataError(f"{case.where}: its files have different times; choose one with --files")
    return found[0] if found else ()


def read_state(case: Case, time: float | None = None) -> Mesh:
    """One state; the last where no time is asked for."""
    if case.moments:
        index = -1 if time is None else case.moments.index(time)
        return formats.read(case.files[index])
    first, *others = (formats.read(path, time if formats.times(path) else None) for path in case.files)
    for path, other in zip(case.files[1:], others, strict=True):
        first = _joined(case, first, other, path.name)
    return first


def _joined(case: Case, a: Mesh, b: Mesh, name: str) -> Mesh:
    """The fields of two files that have the same points."""
    if a.points.shape != b.points.shape or not np.allclose(a.points, b.points, rtol=1e-6, atol=0):
        raise DataError(
            f"{case.where}: {name} has other points ({len(b.points)}) than {case.files[0].name} "
            f"({len(a.points)}); choose files of one mesh, as in --files {case.files[0].name}"
        )
    if a.cell_fields and b.cell_fields and (a.centers is None or b.centers is None or len(a.centers) != len(b.centers)):
        raise DataError(f"{case.where}: {name} has other cells than {case.files[0].name}")
    parts = {}
    for part in ("point_fields", "cell_fields", "patches", "case_fields", "units", "left_out"):
        mine, theirs = getattr(a, part), getattr(b, part)
        twice = [key for key in mine if key in theirs] if part.endswith("t_fields") else []
        if twice:
            raise DataError(f"{case.where}: {twice[0]!r} is in {name} and in another file")
        parts[part] = {**theirs, **mine}
    centers = a.centers if a.centers is not None else b.centers
    return replace(a, centers=centers, grid=a.grid or b.grid, **parts)
