"""Car: the pressures of some steps by conjugate gradients on the sparse matrix, as is usual.

Ours, the products with modes along each axis, also finds the modes.
"""

from __future__ import annotations

from time import process_time

import numpy as np
import scipy.sparse as sp
import torch
from scipy.sparse.linalg import cg

from llt.bench.rivals import Comparison, relative
from llt.solvers.base import Array, sample_rng
from llt.solvers.car import Settings
from llt.solvers.car.grid import Axis, Grid
from llt.solvers.car.poisson import diagonalize, solve

PLAIN = "conjugate gradients"
STEPS = 3


def compare(index: int, settings: Settings) -> Comparison:
    grid = settings.grid
    f = sample_rng(0, index).standard_normal((STEPS, *grid.shape))
    matrix, volumes = _assemble(grid)
    start = process_time()
    source = torch.from_numpy(f)
    ours = solve(diagonalize(grid, source), source).numpy()
    middle = process_time()
    plain = [cg(matrix, -(volumes * part).ravel(), rtol=1e-8)[0] for part in f]
    seconds = process_time() - middle
    return Comparison(middle - start, seconds, relative(ours.ravel(), np.concatenate(plain)))


def _assemble(grid: Grid) -> tuple[sp.csr_array, Array]:
    """-∇·∇ integrated over cells, which is symmetric, and their volumes."""
    parts = [_links(axis, open_end=along == 2) for along, axis in enumerate(grid.axes)]
    x, y, z = (sp.diags_array(axis.widths) for axis in grid.axes)
    total = sp.kron(sp.kron(parts[0], y), z) + sp.kron(sp.kron(x, parts[1]), z)
    total = total + sp.kron(sp.kron(x, y), parts[2])
    widths = [axis.widths for axis in grid.axes]
    return sp.csr_array(total), widths[0][:, None, None] * widths[1][:, None] * widths[2]


def _links(axis: Axis, *, open_end: bool) -> sp.dia_array:
    inner = 1 / np.diff(axis.centers)
    diagonal = np.concatenate([inner, [2 / axis.widths[-1] if open_end else 0]])
    diagonal[1:] += inner
    return sp.diags_array([-inner, diagonal, -inner], offsets=[-1, 0, 1])
