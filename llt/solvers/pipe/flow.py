"""Steady incompressible flow on a structured grid of curved quadrilaterals, by Newton's method.

    -ν Δu + (u·∇)u + ∇p = f,    ∇·u = 0

A boundary point whose velocity is not given is a free outlet, ν ∂u/∂n = p n. Every step solves
for the new flow itself, not for a correction: linearized about rest, it is the Stokes flow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from llt.errors import SolverError
from llt.solvers.base import Array
from llt.solvers.pipe.taylor_hood import Equations, Force


@dataclass(frozen=True, slots=True)
class Flow:
    fields: Array  # (2n+1, 2m+1, 3): u_x, u_y, p
    residuals: list[float]  # of the Stokes flow and after every Newton step; fluid at rest has 1


def solve_flow(
    points: Array,
    known: Array,
    *,
    viscosity: float,
    force: Force | None = None,
    tolerance: float = 1e-9,
    max_iterations: int = 10,
) -> Flow:
    """The flow through a grid of elements: Stokes, then Newton until the residual is small.

    Args:
        points: (2n+1, 2m+1, 2), the corners, mid-sides and centers of n x m elements.
        known: (2n+1, 2m+1, 3), the given u_x, u_y, p, and NaN where they are unknown. p counts
            at element corners only; one must be given where no part of the boundary is free.
    """
    equations = Equations(points, viscosity=viscosity, force=force)
    given = equations.vector(known)
    free, at_rest = np.flatnonzero(np.isnan(given)), np.nan_to_num(given)
    flow, scale, residuals = np.zeros_like(given), 0.0, list[float]()
    for _ in range(1 + max_iterations):
        matrix, load = equations.linearize(flow)
        scale = scale or _size((matrix @ at_rest - load)[free])
        new = _solve(matrix, load, at_rest, free)
        # exact, for the equations are quadratic: a step leaves out the convection of its change
        residual = matrix @ new - load + equations.convection(new - flow)
        residuals.append(_size(residual[free]) / scale)
        if residuals[-1] <= tolerance:
            return Flow(equations.fields(new), residuals)
        if not np.isfinite(residuals[-1]):
            break
        flow = new
    raise SolverError(
        f"flow: residual {residuals[-1]:.1e} after {len(residuals) - 1} Newton steps is not "
        f"below {tolerance:g}; more viscosity, elements or max_iterations may help"
    )


def _solve(matrix: Any, load: Array, at_rest: Array, free: NDArray[np.intp]) -> Array:
    """Solve for the free unknowns; the others keep their values at rest."""
    rows = matrix[free]
    try:
        # ordered as the symmetric pattern it is, pivoted on the diagonal unless that is small: a
        # third of the fill of the default COLAMD, a quarter of the time, and residuals as small
        factors = splu(
            rows[:, free].tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.1,
            options={"SymmetricMode": True},
        )
    except RuntimeError as error:
        raise SolverError(f"flow: {str(error).lower()}") from error
    flow = at_rest.copy()
    flow[free] = factors.solve(load[free] - rows @ at_rest)
    return flow


def _size(vector: Array) -> float:
    return float(np.abs(vector).max())
