"""Two runs on the same cases: the difference of their errors, case by case.

Cases differ far more from each other than two surrogates do on one of them, so that the spread of
the differences, and not that of the errors, says whether one is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

FEWEST = 8  # cases that a spread is told from
LEVEL = 0.95


@dataclass(frozen=True)
class Paired:
    """Errors of two runs, and first minus second."""

    first: float
    second: float
    difference: float  # of the means
    spread: float | None  # half of the interval of the mean difference; None of few cases
    better: int  # cases in which the first has the smaller error
    worse: int
    cases: int

    @property
    def clear(self) -> bool:
        """Whether the difference is more than the spread between cases brings about."""
        return self.spread is not None and abs(self.difference) > self.spread


def compare(first: Sequence[float], second: Sequence[float]) -> Paired:
    """Errors of two runs, of the same cases in the same order."""
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    differences = one - other
    count = len(differences)
    spread = None
    if count >= FEWEST:
        factor = student.ppf((1 + LEVEL) / 2, count - 1)
        spread = float(factor * differences.std(ddof=1) / np.sqrt(count))
    return Paired(
        first=float(one.mean()),
        second=float(other.mean()),
        difference=float(differences.mean()),
        spread=spread,
        better=int((differences < 0).sum()),
        worse=int((differences > 0).sum()),
        cases=count,
    )
