"""Poisson's equation ∇·∇p = f on the cells of a box, solved exactly by fast diagonalization.

Each axis has its own second difference A; with A = V λ V⁻¹ per axis the equation is divided by
λx + λy + λz. Walls and the inlet have ∂p/∂n = 0, an open outlet has p = 0 on its faces. Three
products with small dense matrices each way, on any device.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from torch import Tensor

from llt.solvers.base import Array
from llt.solvers.car.grid import Axis, Grid


class Poisson(NamedTuple):
    """What solves it on one grid."""

    forward: tuple[Tensor, ...]  # to modes, along x, y, z
    backward: tuple[Tensor, ...]
    inverse: Tensor  # of the eigenvalues, (nx, ny, nz)


def diagonalize(grid: Grid, like: Tensor) -> Poisson:
    modes = [
        _diagonalize(axis, open_end=along == 2 and grid.through)
        for along, axis in enumerate(grid.axes)
    ]
    x, y, z = (values for values, _, _ in modes)
    total = x[:, None, None] + y[:, None] + z
    if not grid.through:  # the mean of p is free, and f has none
        total[-1, -1, -1] = -np.inf
    return Poisson(
        tuple(like.new_tensor(inverse) for _, _, inverse in modes),
        tuple(like.new_tensor(vectors) for _, vectors, _ in modes),
        like.new_tensor(1 / total),
    )


def solve(poisson: Poisson, f: Tensor) -> Tensor:
    """p for f of shape (..., nx, ny, nz)."""
    modes = _transform(poisson.forward, f) * poisson.inverse
    return _transform(poisson.backward, modes)


def _transform(matrices: tuple[Tensor, ...], f: Tensor) -> Tensor:
    x, y, z = matrices
    f = y @ (f @ z.mT)
    shape = f.shape
    return (x @ f.flatten(-2)).view(shape)


def _diagonalize(axis: Axis, *, open_end: bool) -> tuple[Array, Array, Array]:
    """Eigenvalues, largest last, eigenvectors as columns, and their inverse."""
    links = 1 / axis.spacings
    links[0] = 0
    # the outlet's value is half a cell away
    links[-1] = 2 / axis.widths[-1] if open_end else 0
    stiffness = np.diag(-(links[1:] + links[:-1])) + np.diag(links[1:-1], 1)
    stiffness += np.diag(links[1:-1], -1)
    # A = W⁻¹ S has the eigenvalues of the symmetric W^-½ S W^-½
    root = np.sqrt(axis.widths)
    values, vectors = np.linalg.eigh(stiffness / np.outer(root, root))
    return values, vectors / root[:, None], vectors.T * root
