"""Darcy: SciPy's sparse direct solver with its better ordering, given the assembled matrix.

Ours, conjugate gradients, starts from the nodal permeability.
"""

from __future__ import annotations

from time import process_time

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from llt.bench.rivals import Comparison, relative
from llt.solvers import darcy, random_field
from llt.solvers.base import Array, sample_rng

PLAIN = "SuperLU, minimum degree"


def compare(index: int, settings: darcy.Settings) -> Comparison:
    a = _nodal_permeability(index, settings)
    f, matrix = np.ones_like(a), _assemble(a)
    start = process_time()
    ours = darcy.solve(a, f, face_mean="arithmetic")[0][1:-1, 1:-1].ravel()
    middle = process_time()
    factors = splu(matrix, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    plain = factors.solve(f[1:-1, 1:-1].ravel())
    return Comparison(middle - start, process_time() - middle, relative(ours, plain))


def _nodal_permeability(index: int, settings: darcy.Settings) -> Array:
    maps = darcy.linear_maps(settings)
    noise = random_field.white_noise(sample_rng(0, index), settings.resolution)
    field = random_field.evaluate(noise, maps.sigma, maps.basis)
    a = np.where(field >= 0, settings.high, settings.low)
    return maps.to_nodes @ a @ maps.to_nodes.T


def _assemble(a: Array) -> sp.csc_array:
    """The five-point matrix with arithmetic face means on the interior nodes."""
    n = len(a)
    rows = (a[:-1] + a[1:])[:, 1:-1] / 2  # (n-1, n-2)
    columns = (a[:, :-1] + a[:, 1:])[1:-1] / 2  # (n-2, n-1)
    diagonal = rows[:-1] + rows[1:] + columns[:, :-1] + columns[:, 1:]
    east = columns[:, 1:].copy()
    # the last node of a row has no link to the first of the next
    east[:, -1] = 0
    upper = sp.diags_array([-east.ravel()[:-1], -rows[1:-1].ravel()], offsets=[1, n - 2])
    return sp.csc_array((sp.diags_array(diagonal.ravel()) + upper + upper.T) * (n - 1) ** 2)
