"""An approximate inverse of the first-order Jacobian, for the linear systems of Newton's method.

With A the matrix of 4x4 blocks, L and U its parts below and above the diagonal,

    A ≈ (D + L) D⁻¹ (D + U)

where the block diagonal D is such that the diagonals of both sides agree. A cell and two of its
neighbors are never all neighbors of each other, so this is the incomplete factorization ILU(0).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from llt.solvers.airfoil.euler import EXIT, OUTLET, WALL, Block, Ints, primitive
from llt.solvers.airfoil.flux import Four, face_fluxes, face_states
from llt.solvers.base import Array
from llt.solvers.kernel import inlined, kernel, reordered

# the states are of order 1
STEP = 1e-7


class Factors(NamedTuple):
    """For each of m cells, its neighbors behind and ahead in i, then behind and ahead in j."""

    neighbor: Ints  # (m, 4), -1 where there is none
    blocks: Array  # (m, 4, 4, 4), of A for each neighbor, times D⁻¹ once factorized
    diagonal: Array  # (m, 4, 4), of A, and D⁻¹ once factorized
    by_left: Array  # (4, 4, n), derivatives of the fluxes through the faces of one direction
    by_right: Array  # (4, 4, n)


def allocate(block: Block) -> Factors:
    """Memory to be used for every Jacobian: fresh memory costs more time than the Jacobian."""
    k, m = block.inside, len(block.inside)
    neighbor = np.stack([block.cell[k + s * sign] for s in block.strides for sign in (-1, 1)], 1)
    faces = np.zeros((2, 4, 4, len(block.cell)))
    return Factors(neighbor, np.zeros((m, 4, 4, 4)), np.zeros((m, 4, 4)), faces[0], faces[1])


@kernel
def prepare(w: Array, block: Block, cfl: float, factors: Factors) -> None:
    """Factorize 1/cfl + ∂residual/∂w, at first order in space and with the ghosts of w filled."""
    factors.diagonal[:] = 0.0
    for d in range(2):
        _add_direction(w, block, d, factors)
    _follow_boundary(block, factors)
    for row in range(len(block.inside)):
        k, f = block.inside[row], block.step[row]
        _rows_to_primitive(factors.diagonal[row], w[:, k], f)
        for s in range(4):
            _rows_to_primitive(factors.blocks[row, s], w[:, k], f)
            factors.diagonal[row, s, s] += 1 / cfl
    _factorize(factors)


@reordered
def precondition(factors: Factors, right: Array, out: Array) -> None:
    """Write the solution of (D + L) D⁻¹ (D + U) out = right; both are (m, 4)."""
    neighbor, blocks, diagonal = factors.neighbor, factors.blocks, factors.diagonal
    m = len(neighbor)
    for row in range(m):
        y0, y1, y2, y3 = _times(diagonal[row], right[row])
        for s in range(4):
            k = neighbor[row, s]
            if 0 <= k < row:
                z0, z1, z2, z3 = _times(blocks[row, s], out[k])
                y0, y1, y2, y3 = y0 - z0, y1 - z1, y2 - z2, y3 - z3
        out[row, 0], out[row, 1], out[row, 2], out[row, 3] = y0, y1, y2, y3
    for row in range(m - 1, -1, -1):
        y0, y1, y2, y3 = out[row, 0], out[row, 1], out[row, 2], out[row, 3]
        for s in range(4):
            k = neighbor[row, s]
            if k > row:
                z0, z1, z2, z3 = _times(blocks[row, s], out[k])
                y0, y1, y2, y3 = y0 - z0, y1 - z1, y2 - z2, y3 - z3
        out[row, 0], out[row, 1], out[row, 2], out[row, 3] = y0, y1, y2, y3


@inlined
def _times(a: Array, x: Array) -> Four:
    x0, x1, x2, x3 = x[0], x[1], x[2], x[3]
    return (
        a[0, 0] * x0 + a[0, 1] * x1 + a[0, 2] * x2 + a[0, 3] * x3,
        a[1, 0] * x0 + a[1, 1] * x1 + a[1, 2] * x2 + a[1, 3] * x3,
        a[2, 0] * x0 + a[2, 1] * x1 + a[2, 2] * x2 + a[2, 3] * x3,
        a[3, 0] * x0 + a[3, 1] * x1 + a[3, 2] * x2 + a[3, 3] * x3,
    )


@kernel
def _add_direction(w: Array, block: Block, d: int, factors: Factors) -> None:
    """The blocks of the two neighbors in direction d, and their share of the diagonal."""
    stride = block.strides[d]
    by_left, by_right = factors.by_left, factors.by_right
    _differentiate_fluxes(w, block, d, by_left, by_right)
    for row in range(len(block.inside)):
        k = block.inside[row]
        diagonal = factors.diagonal[row]
        behind, ahead = factors.blocks[row, 2 * d], factors.blocks[row, 2 * d + 1]
        for a in range(4):
            for b in range(4):
                diagonal[a, b] += by_left[a, b, k + stride] - by_right[a, b, k]
                behind[a, b] = -by_left[a, b, k]
                ahead[a, b] = by_right[a, b, k + stride]


@kernel
def _differentiate_fluxes(w: Array, block: Block, d: int, by_left: Array, by_right: Array) -> None:
    """Write the derivatives of the fluxes by the states on the left and right of the faces."""
    nx, ny, area = block.normal_x[d], block.normal_y[d], block.area[d]
    left, right = face_states(w, block.strides[d], 0.0)
    fluxes = face_fluxes(left, right, nx, ny, area)
    for states, derivative in ((left, by_left), (right, by_right)):
        for b in range(4):
            keep = states[b].copy()
            states[b] += STEP
            moved = face_fluxes(left, right, nx, ny, area)
            states[b] = keep
            for a in range(4):
                _subtract(moved[a], fluxes[a], derivative[a, b])
    for b in range(len(block.kind)):
        if block.kind[b] == WALL and block.face[b, 0] == d:
            # only the cell inside counts, on whichever side it is
            k = block.face[b, 1]
            by_left[:, :, k] = by_right[:, :, k] = 0.0
            by_left[1, 3, k] = by_right[1, 3, k] = 1.5 * area[k] * nx[k]
            by_left[2, 3, k] = by_right[2, 3, k] = 1.5 * area[k] * ny[k]


@kernel
def _subtract(a: Array, b: Array, out: Array) -> None:
    for k in range(len(a)):
        out[k] = (a[k] - b[k]) * (1 / STEP)


@kernel
def _follow_boundary(block: Block, factors: Factors) -> None:
    """Ghosts that follow a cell inside belong to its diagonal; an OUTLET keeps its pressure."""
    for b in range(len(block.kind)):
        follows = 4 if block.kind[b] == EXIT else 3 if block.kind[b] == OUTLET else 0
        near, (d, k) = block.near[b, 0], block.face[b]
        row = block.cell[near]
        if row >= 0 and follows > 0:
            slot = 2 * d if k == near else 2 * d + 1
            factors.diagonal[row, :, :follows] += factors.blocks[row, slot, :, :follows]


@kernel
def _rows_to_primitive(a: Array, w: Array, factor: float) -> None:
    for b in range(4):
        x0, x1, x2, x3 = primitive(w, a[0, b], a[1, b], a[2, b], a[3, b])
        a[0, b], a[1, b], a[2, b], a[3, b] = factor * x0, factor * x1, factor * x2, factor * x3


@kernel
def _factorize(factors: Factors) -> None:
    neighbor, blocks, diagonal = factors.neighbor, factors.blocks, factors.diagonal
    for row in range(len(neighbor)):
        for s in range(4):
            k = neighbor[row, s]
            if not 0 <= k < row:
                continue
            for back in range(4):
                if neighbor[k, back] == row:
                    _subtract_product(blocks[row, s], blocks[k, back], diagonal[row])
        _invert(diagonal[row])
        for s in range(4):
            _multiply_from_left(diagonal[row], blocks[row, s])


@kernel
def _subtract_product(a: Array, b: Array, out: Array) -> None:
    for i in range(4):
        for j in range(4):
            x = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j] + a[i, 3] * b[3, j]
            out[i, j] -= x


@kernel
def _multiply_from_left(a: Array, b: Array) -> None:
    for j in range(4):
        b[0, j], b[1, j], b[2, j], b[3, j] = _times(a, b[:, j])


@kernel
def _invert(a: Array) -> None:
    """Gauss-Jordan in place; upwinding keeps the pivots away from zero."""
    for p in range(4):
        pivot = 1 / a[p, p]
        a[p, p] = 1.0
        for j in range(4):
            a[p, j] *= pivot
        for i in range(4):
            if i != p:
                factor = a[i, p]
                a[i, p] = 0.0
                for j in range(4):
                    a[i, j] -= factor * a[p, j]
