"""Pipe: the same Newton method with SuperLU as SciPy calls it (COLAMD, full pivoting)."""

from __future__ import annotations

from time import process_time
from typing import Any
from unittest.mock import patch

from scipy.sparse.linalg import splu

from llt.bench.rivals import Comparison, relative
from llt.solvers.base import Array, sample_rng
from llt.solvers.pipe import Settings, flow, solve_sample

PLAIN = "SuperLU with its defaults"


def compare(index: int, settings: Settings) -> Comparison:
    start = process_time()
    ours = _solve(index, settings)
    middle = process_time()
    with patch.object(flow, "splu", _plain_superlu):
        plain = _solve(index, settings)
    return Comparison(middle - start, process_time() - middle, relative(ours, plain))


def _solve(index: int, settings: Settings) -> Array:
    return solve_sample(sample_rng(0, index), settings).outputs["velocity"]


def _plain_superlu(matrix: Any, **_: Any) -> Any:
    return splu(matrix)
