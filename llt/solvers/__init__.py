"""Reference solvers that regenerate the benchmark problems, by name."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from llt.errors import ConfigError, unknown
from llt.solvers.base import BatchedSolver, Solution, Solver, sample_rng

__all__ = [
    "BATCHED",
    "SOLVERS",
    "BatchedSolver",
    "Solution",
    "Solver",
    "find_batched",
    "find_solver",
    "sample_rng",
]

# imported when asked for: some need numba or a finite-element library
SOLVERS = {
    "airfoil": "llt.solvers.airfoil",
    "car": "llt.solvers.car",
    "darcy": "llt.solvers.darcy",
    "elasticity": "llt.solvers.elasticity",
    "pipe": "llt.solvers.pipe",
    "plasticity": "llt.solvers.plasticity",
}

# many samples at once on a GPU
BATCHED = {
    "car": "llt.solvers.car",
    "darcy": "llt.solvers.darcy_torch",
    "plasticity": "llt.solvers.plasticity.batched",
}


def find_solver(name: str) -> Solver:
    if name not in SOLVERS:
        raise ConfigError(unknown("problem with a solver", name, SOLVERS))
    return cast(Solver, import_module(SOLVERS[name]))


def find_batched(name: str) -> BatchedSolver:
    if name not in BATCHED:
        raise ConfigError(f"{name} has no GPU solver, only {', '.join(BATCHED)}; use cpu")
    return cast(BatchedSolver, import_module(BATCHED[name]))
