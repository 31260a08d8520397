"""What the reference solvers are asked, in a process of their own that loads nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from llt.solvers.base import Array

Fields = Mapping[str, Array]  # output fields (*grid)


def timed(function: Callable[..., Fields], *args: Any) -> tuple[Fields, float]:
    start = time.perf_counter()
    return function(*args), time.perf_counter() - start


def solve_painting(values: Array, settings: Any) -> Fields:
    """On the solver's finer grid, every painted point being as wide as it is."""
    from llt.solvers.darcy import solve_permeability

    k, n = settings.stride, settings.resolution
    near = (np.arange(n) + k // 2) // k
    return dict(solve_permeability(values[np.ix_(near, near)], settings).outputs)


def solve_airfoil(displacements: Array, settings: Any, every: tuple[slice, ...]) -> Fields:
    from llt.solvers.airfoil import FIELDS, solve_flow

    fields = solve_flow(displacements, settings).fields
    return {"mach": np.ascontiguousarray(fields[FIELDS.index("mach")][every])}


def solve_pipe(line: Any, settings: Any, every: tuple[slice, ...]) -> Fields:
    """Along a `Centerline`."""
    from llt.solvers.pipe import solve_fields

    velocity = solve_fields(line, settings).velocity[..., 0]
    return {"velocity": np.ascontiguousarray(velocity[every])}
