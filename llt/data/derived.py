"""Derived numbers of any solution, also of a predicted one: weighted sums over the points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from llt.data.sample import Sample
from llt.problem import Problem


def derived_numbers(
    problem: Problem, sample: Sample, u: NDArray[np.floating] | None = None
) -> dict[str, float]:
    """By name, those that the sample has weights for, as {"drag": 0.31}.

    Args:
        u: (N, Cu) outputs at the sample's points; by default its own.
    """
    values = sample.outputs if u is None else u
    found: dict[str, float] = {}
    for name, weights in sample.weights.items():
        number, _, output = name.partition("/")
        column = values[:, problem.output_names.index(output)].astype(np.float64)
        found[number] = found.get(number, 0.0) + float(weights.astype(np.float64) @ column)
    return found
