"""A look at one case: what it holds, in a few numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from llt.data.folder.cases import Case
from llt.data.folder.states import read_state, times_of

POINTS, CELLS = "points", "cells"
Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """The range of a field, component by component."""

    low: Array  # (C,)
    high: Array
    vector: bool  # it has an axis of components


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What a case holds, in its last state."""

    name: str
    num_points: int
    num_cells: int
    boxes: Mapping[str, tuple[Array, Array]]  # around points and cells' centers: corners (d,)
    grid: tuple[int, ...] | None
    places: str  # hash of the points
    fields: Mapping[tuple[str, str], Span]  # by location and name
    patches: Mapping[str, int]  # number of points
    numbers: Mapping[str, float]
    units: Mapping[str, str]
    times: tuple[float, ...]
    left_out: Mapping[str, str]


def look(case: Case) -> Look:
    mesh = read_state(case)
    fields = {
        (where, name): _span(values)
        for where, group in ((POINTS, mesh.point_fields), (CELLS, mesh.cell_fields))
        for name, values in group.items()
    }
    return Look(
        name=case.name,
        num_points=len(mesh.points),
        num_cells=0 if mesh.centers is None else len(mesh.centers),
        boxes={
            where: (places.min(axis=0), places.max(axis=0))
            for where, places in ((POINTS, mesh.points), (CELLS, mesh.centers))
            if places is not None and len(places)
        },
        grid=mesh.grid,
        places=hashlib.sha256(np.ascontiguousarray(mesh.points).data).hexdigest(),
        fields=fields,
        patches={name: int(mask.sum()) for name, mask in mesh.patches.items()},
        numbers=dict(mesh.case_fields),
        units=dict(mesh.units),
        times=times_of(case),
        left_out=dict(mesh.left_out),
    )


def _span(values: NDArray[np.float64]) -> Span:
    """Of the numbers that are finite; NaN where there are none."""
    table = np.asarray(values, np.float64).reshape(len(values), -1)
    finite = np.isfinite(table)
    there = finite.any(axis=0)
    return Span(
        low=np.where(there, np.where(finite, table, np.inf).min(axis=0), np.nan),
        high=np.where(there, np.where(finite, table, -np.inf).max(axis=0), np.nan),
        vector=values.ndim > 1,
    )
