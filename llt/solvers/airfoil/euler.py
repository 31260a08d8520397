"""The steady Euler equations on one block of quadrilateral cells: metrics, boundaries, residual.

    ∮ F(w)·n dA = 0   for every cell,    w = (ρ, u, v, p)

The cells (i, j) lie in a frame of two ghost cells that hold what the boundary conditions say;
all of them are numbered row by row. Every face on an edge of the block has a kind:

    FAR       the free stream outside; Roe's flux picks the waves that come in
    OUTLET    the pressure of the free stream, the rest as inside
    EXIT      everything as inside: supersonic outflow
    WALL      no flow through the face, only pressure
    CUT       the same face as its mirror image on the same edge: the wake line of a C-grid
    PERIODIC  the same face as that on the opposite edge
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from llt.errors import SolverError
from llt.solvers.airfoil.flux import GAMMA, Four, face_fluxes, face_states
from llt.solvers.base import Array
from llt.solvers.kernel import kernel

Ints = NDArray[np.int64]

FAR, OUTLET, EXIT, WALL, CUT, PERIODIC = range(6)
GHOSTS = 2


class Block(NamedTuple):
    """The mesh and its boundary conditions: n cells with ghosts, m without, b boundary faces.

    Face k of direction d lies between the cells k - strides[d] and k, its normal points to k.
    """

    far: Array  # (4,), the free stream
    strides: tuple[int, int]
    normal_x: Array  # (2, n), of unit length
    normal_y: Array  # (2, n)
    area: Array  # (2, n), zero where there is no face
    inside: Ints  # (m,), the numbers of the cells without ghosts
    cell: Ints  # (n,), 0 ... m - 1 inside and for a CUT or PERIODIC copy, else -1
    step: Array  # (m,), time step over volume at a CFL number of 1 in the free stream
    kind: Ints  # (b,)
    near: Ints  # (b, 2), the cells from which a boundary face gets its ghosts, nearer one first
    ghost: Ints  # (b, 2)
    face: Ints  # (b, 2), direction and number


def make_block(
    nodes: Array,
    far: Array,
    *,
    left: ArrayLike = FAR,
    right: ArrayLike = FAR,
    bottom: ArrayLike = FAR,
    top: ArrayLike = FAR,
) -> Block:
    """Connect nodes (I, J, 2); left and right end i, an edge has one kind or one for each face."""
    shape = (nodes.shape[0] - 1, nodes.shape[1] - 1)
    number = np.arange((shape[0] + 2 * GHOSTS) * (shape[1] + 2 * GHOSTS))
    number = number.reshape(shape[0] + 2 * GHOSTS, shape[1] + 2 * GHOSTS)
    inside = number[GHOSTS:-GHOSTS, GHOSTS:-GHOSTS].ravel()

    # the columns of ghosts come first: the rows after them run on into the corners
    edges = [
        _edge(number[:, GHOSTS:-GHOSTS], left, 0),
        _edge(number[::-1, GHOSTS:-GHOSTS], right, 0),
        _edge(number.T, bottom, 1),
        _edge(number.T[::-1], top, 1),
    ]
    kind, near, ghost, face = (np.concatenate(part) for part in zip(*edges, strict=True))
    cell = np.full(number.size, -1)
    cell[inside] = np.arange(inside.size)
    for own, copy in zip(near[kind >= CUT].T, ghost[kind >= CUT].T, strict=True):
        cell[copy] = cell[own]

    strides = (number.shape[1], 1)
    normal_x, normal_y, area = _metrics(nodes)
    waves = np.abs(far[1] * normal_x + far[2] * normal_y) + np.sqrt(GAMMA * far[3] / far[0])
    waves *= area / 2
    step = 1 / sum(waves[d][inside] + waves[d][inside + strides[d]] for d in (0, 1))
    return Block(
        far, strides, normal_x, normal_y, area, inside, cell, step, kind, near, ghost, face
    )


def free_stream(mach: float) -> Array:
    """ρ = p = 1 and a velocity along x."""
    return np.array([1.0, mach * np.sqrt(GAMMA), 0.0, 1.0])


def mach_number(w: Array) -> Array:
    mach: Array = np.sqrt((w[1] ** 2 + w[2] ** 2) * w[0] / (GAMMA * w[3]))
    return mach


def wall_force(w: Array, block: Block) -> Array:
    """The force of the pressure on all walls, (2,)."""
    wall = block.kind == WALL
    d, k = block.face[wall].T
    inward = np.where(block.near[wall, 0] == k, 1, -1)
    pressure = 0.5 * (w[3, block.near[wall, 0]] + w[3, block.ghost[wall, 0]])
    out = -inward * pressure * block.area[d, k]
    return np.array([out @ block.normal_x[d, k], out @ block.normal_y[d, k]])


@kernel
def residual(w: Array, block: Block, order: float, out: Array) -> None:
    """Write by how much w falls in a time step of CFL number 1 to out (m, 4), and the ghosts to w.

    Args:
        w: states (4, n).
        order: 1 for second order in space, 0 for first.
    """
    fill_ghosts(w, block)
    out[:] = 0.0
    for d in range(2):
        stride = block.strides[d]
        nx, ny, area = block.normal_x[d], block.normal_y[d], block.area[d]
        left, right = face_states(w, stride, order)
        mass, x_momentum, y_momentum, energy = face_fluxes(left, right, nx, ny, area)
        for b in range(len(block.kind)):
            if block.kind[b] == WALL and block.face[b, 0] == d:
                k = block.face[b, 1]
                force = 0.5 * (w[3, block.ghost[b, 0]] + w[3, block.near[b, 0]]) * area[k]
                mass[k] = energy[k] = 0.0
                x_momentum[k], y_momentum[k] = force * nx[k], force * ny[k]
        for m in range(len(block.inside)):
            k = block.inside[m]
            out[m, 0] += mass[k + stride] - mass[k]
            out[m, 1] += x_momentum[k + stride] - x_momentum[k]
            out[m, 2] += y_momentum[k + stride] - y_momentum[k]
            out[m, 3] += energy[k + stride] - energy[k]
    for m in range(len(block.inside)):
        k, f = block.inside[m], block.step[m]
        f0, f1, f2, f3 = primitive(w[:, k], out[m, 0], out[m, 1], out[m, 2], out[m, 3])
        out[m, 0], out[m, 1], out[m, 2], out[m, 3] = f * f0, f * f1, f * f2, f * f3


@kernel
def primitive(w: Array, mass: float, x_momentum: float, y_momentum: float, energy: float) -> Four:
    """The change of (ρ, u, v, p) that goes with small changes of the conserved quantities."""
    r, u, v = w[0], w[1], w[2]
    heat = energy - u * x_momentum - v * y_momentum + 0.5 * (u * u + v * v) * mass
    return mass, (x_momentum - u * mass) / r, (y_momentum - v * mass) / r, (GAMMA - 1) * heat


@kernel
def fill_ghosts(w: Array, block: Block) -> None:
    for b in range(len(block.kind)):
        kind, near, ghost = block.kind[b], block.near[b], block.ghost[b]
        for c in range(4):
            copied = w[c, near[1]] if kind >= CUT else w[c, near[0]]
            w[c, ghost[0]] = block.far[c] if kind == FAR else w[c, near[0]]
            w[c, ghost[1]] = block.far[c] if kind == FAR else copied
        if kind == OUTLET:
            w[3, ghost[0]] = w[3, ghost[1]] = block.far[3]
        if kind == WALL:
            # the second ghost is never seen: the flux through a wall does not need it
            d, k = block.face[b]
            nx, ny = block.normal_x[d, k], block.normal_y[d, k]
            through = w[1, near[0]] * nx + w[2, near[0]] * ny
            w[1, ghost[0]] -= 2 * through * nx
            w[2, ghost[0]] -= 2 * through * ny
            w[3, ghost[0]] = 2 * w[3, near[0]] - w[3, near[1]]
            # the entropy is the cell's; a march may pass through pressures below zero
            ratio = max(w[3, ghost[0]] / w[3, near[0]], 0.1)
            w[0, ghost[0]] *= ratio ** (1 / GAMMA)


def _edge(number: Ints, kinds: ArrayLike, direction: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Kind, near, ghost and face of one edge; `number` starts with the ghosts of the edge."""
    length = number.shape[1]
    kind = np.asarray(kinds)
    if kind.ndim:
        # in the corners the edge goes on as it ends
        kind = np.pad(kind, (length - len(kind)) // 2, mode="edge")
    kind = np.broadcast_to(kind, length)
    ghost, inner, far_end = number[[1, 0]], number[[2, 3]], number[[-3, -4]]
    near = np.where(kind == CUT, inner[:, ::-1], inner)
    near = np.where(kind == PERIODIC, far_end, near)
    # a face has the number of the cell ahead of it
    face = np.stack([np.full(length, direction), np.maximum(ghost[0], inner[0])])
    return kind, near.T, ghost.T, face.T


def _metrics(nodes: Array) -> tuple[Array, Array, Array]:
    """Unit normals (x, y) and areas of the faces of both directions, each (2, n)."""
    along_i, along_j = np.diff(nodes, axis=0), np.diff(nodes, axis=1)
    first, second = nodes[1:, 1:] - nodes[:-1, :-1], nodes[:-1, 1:] - nodes[1:, :-1]
    volume = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
    hand = np.sign(volume.sum())
    if (hand * volume <= 0).any():
        raise SolverError(f"grid: {(hand * volume <= 0).sum()} of {volume.size} cells are folded")

    padded = (len(nodes) + 2 * GHOSTS - 1, len(nodes[0]) + 2 * GHOSTS - 1)
    normal, area = np.zeros((2, 2, *padded)), np.zeros((2, *padded))
    # any unit vector will do where there is no face
    normal[0] = 1
    turned = (along_j[..., ::-1] * [1, -1], along_i[..., ::-1] * [-1, 1])
    for d, vector in enumerate(turned):
        here = np.s_[GHOSTS : GHOSTS + len(vector), GHOSTS : GHOSTS + len(vector[0])]
        area[d][here] = np.hypot(vector[..., 0], vector[..., 1])
        for axis in (0, 1):
            normal[axis, d][here] = hand * vector[..., axis] / area[d][here]
    return normal[0].reshape(2, -1), normal[1].reshape(2, -1), area.reshape(2, -1)
