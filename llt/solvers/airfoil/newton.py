"""Newton's method for the steady Euler equations, reached through implicit time steps.

    (1 / CFL + ∂R/∂w) Δw = -R(w)

R is the residual in units of a time step of CFL number 1. The CFL number grows from step to step,
and Euler's implicit steps, which push the shocks into place, turn into Newton's, which converge
to round-off. GMRES solves the linear systems with nothing but differences of R, so that Newton's
method is that of the second-order scheme; the first-order Jacobian only preconditions.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from llt.errors import SolverError
from llt.solvers.airfoil.euler import Block, residual
from llt.solvers.airfoil.preconditioner import STEP, Factors, allocate, precondition, prepare
from llt.solvers.base import Array
from llt.solvers.kernel import kernel, reordered

# GMRES: most iterations of a step, and by how much it reduces the linear residual
KRYLOV = 60
FORCING = 0.1
# of the CFL number: its growth from step to step, and its largest product with the residual,
# without which Newton's method would start before the shocks are in place, and wander
GROWTH = 1.5
NEWTON = 0.1
# the rare march that is not done after so many steps goes on with a smaller product
PATIENCE = 70
NEWTON_LATE = 0.003
# a first-order solution is a good start once its residual has fallen by this factor
FIRST_ORDER = 0.1
# largest relative change of density or pressure in a step
LARGEST_CHANGE = 0.3


class Steady(NamedTuple):
    w: Array  # (4, n), ghosts included
    residual: float  # root mean square over cells and components
    steps: int
    krylov: int  # iterations of GMRES in all steps


def solve_steady(
    block: Block, *, tolerance: float = 1e-8, max_steps: int = 150, cfl: float = 10.0
) -> Steady:
    """March the free stream to the steady state."""
    w = np.repeat(block.far[:, None], len(block.cell), axis=1)
    factors = allocate(block)
    basis = np.empty((KRYLOV + 1, len(block.inside), 4))
    order, start_cfl, krylov = 0.0, cfl, 0
    r, size = _evaluate(w, block, order)
    goal = FIRST_ORDER * size
    for step in range(1, max_steps + 1):
        prepare(w, block, cfl, factors)
        change, iterations = gmres(w, r, block, order, cfl, factors, basis)
        krylov += iterations
        fraction = _safe_fraction(w[:, block.inside], change.T)
        trial = w.copy()
        trial[:, block.inside] += fraction * change.T
        trial_r, trial_size = _evaluate(trial, block, order)
        if not np.isfinite(trial_size):
            cfl /= 10
            continue
        # the residual may rise while shocks move: only a step cut short slows the march
        cfl *= GROWTH * max(1, size / trial_size) if fraction == 1 else max(fraction, 0.3)
        cfl = min(cfl, (NEWTON if step < PATIENCE else NEWTON_LATE) / trial_size)
        w, r, size = trial, trial_r, trial_size
        if order == 1 and size < tolerance:
            return Steady(w, size, step, krylov)
        if order == 0 and size < goal:
            order, cfl = 1.0, start_cfl
            r, size = _evaluate(w, block, order)
    raise SolverError(f"residual {size:.1e} after {max_steps} steps; {tolerance:.1e} is asked for")


@kernel
def gmres(
    w: Array, r: Array, block: Block, order: float, cfl: float, factors: Factors, basis: Array
) -> tuple[Array, int]:
    """Δw (m, 4) of one step from w, where the residual is r, and the number of iterations."""
    size = len(basis) - 1
    h, rotation = np.zeros((size + 1, size)), np.zeros((size, 2))
    rest = np.zeros(size + 1)
    trial, z, total = w.copy(), np.empty_like(r), np.zeros_like(r)
    basis[0] = -r
    rest[0] = start = _normalize(basis[0])
    used = 0
    while used < size and abs(rest[used]) > FORCING * start:
        j = used
        precondition(factors, basis[j], z)
        _apply(z, w, r, block, order, cfl, trial, basis[j + 1])
        for i in range(j + 1):
            h[i, j] = _dot(basis[i], basis[j + 1])
            _add(-h[i, j], basis[i], basis[j + 1])
        h[j + 1, j] = _normalize(basis[j + 1])
        for i in range(j):
            _rotate(rotation[i], h[i : i + 2, j])
        length = np.hypot(h[j, j], h[j + 1, j])
        rotation[j] = h[j : j + 2, j] / length
        _rotate(rotation[j], h[j : j + 2, j])
        _rotate(rotation[j], rest[j : j + 2])
        used += 1
    for i in range(used - 1, -1, -1):
        for j in range(i + 1, used):
            rest[i] -= h[i, j] * rest[j]
        rest[i] /= h[i, i]
        _add(rest[i], basis[i], total)
    precondition(factors, total, z)
    return z, used


def _evaluate(w: Array, block: Block, order: float) -> tuple[Array, float]:
    r = np.empty((len(block.inside), 4))
    residual(w, block, order, r)
    return r, float(np.sqrt(np.mean(r**2)))


def _safe_fraction(w: Array, change: Array) -> float:
    """Of the change, so that density and pressure stay positive."""
    largest = float(np.abs(change[[0, 3]] / w[[0, 3]]).max())
    return min(1.0, LARGEST_CHANGE / largest) if largest > 0 else 1.0


@kernel
def _apply(
    z: Array, w: Array, r: Array, block: Block, order: float, cfl: float, trial: Array, out: Array
) -> None:
    """Write (1 / cfl + ∂R/∂w) z to out, by a difference; trial is memory for a state."""
    step = STEP * sqrt(z.size / _dot(z, z))
    for m in range(len(z)):
        k = block.inside[m]
        for c in range(4):
            trial[c, k] = w[c, k] + step * z[m, c]
    residual(trial, block, order, out)
    for m in range(len(z)):
        for c in range(4):
            out[m, c] = (out[m, c] - r[m, c]) / step + z[m, c] / cfl


@kernel
def _rotate(rotation: Array, pair: Array) -> None:
    c, s = rotation[0], rotation[1]
    pair[0], pair[1] = c * pair[0] + s * pair[1], c * pair[1] - s * pair[0]


@kernel
def _normalize(a: Array) -> float:
    length = sqrt(_dot(a, a))
    a /= length
    return length


@reordered
def _dot(a: Array, b: Array) -> float:
    x, y = a.ravel(), b.ravel()
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@reordered
def _add(factor: float, a: Array, b: Array) -> None:
    """b += factor a"""
    x, y = a.ravel(), b.ravel()
    for i in range(len(x)):
        y[i] += factor * x[i]
