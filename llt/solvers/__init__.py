"""Reference solvers that regenerate the benchmark problems, by name."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from llt.errors import ConfigError, unknown
from llt.solvers.base import Solution, Solver, sample_rng

__all__ = ["SOLVERS", "Solution", "Solver", "find_solver", "sample_rng"]

# imported when asked for: some need numba or a finite-element library
SOLVERS = {
    "airfoil": "llt.solvers.airfoil",
    "darcy": "llt.solvers.darcy",
    "elasticity": "llt.solvers.elasticity",
    "pipe": "llt.solvers.pipe",
    "plasticity": "llt.solvers.plasticity",
}


def find_solver(name: str) -> Solver:
    if name not in SOLVERS:
        raise ConfigError(unknown("problem with a solver", name, SOLVERS))
    return cast(Solver, import_module(SOLVERS[name]))
