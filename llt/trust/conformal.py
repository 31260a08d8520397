"""Error bars by split conformal prediction, on cases that training has not seen.

Cases are exchangeable, points of one case are not: what is claimed is claimed of a new case.

    of a case    its score is below the k-th smallest of n, k = ⌈(n + 1) level⌉, with probability
                 `level` at least, and `level` + 1 / (n + 1) at most
    of a point   one drawn from a new case has a score below q with probability `level` at least,
                 where q is the quantile of Σ F_i / (n + 1), F_i the distribution of the scores in
                 case i and the share of the new case at infinity

The second is the hierarchical method of Lee, Barber and Willett (Distribution-free inference with
hierarchical data): every case counts the same, however many points it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.9
ROUNDING = 1e-9


def fewest_cases(level: float = LEVEL) -> int:
    """From how many cases on there is a bar: 9 for 90 %."""
    return ceil(level / (1 - level) - ROUNDING)


def case_bar(scores: NDArray[Any], level: float = LEVEL) -> float | None:
    """The bar of a new case's score, from one score of each case; None from too few."""
    rank = ceil((len(scores) + 1) * level - ROUNDING)
    return None if rank > len(scores) else float(np.sort(scores)[rank - 1])


def point_bar(scores: Sequence[NDArray[Any]], level: float = LEVEL) -> float | None:
    """The same of a score at a point, from those of some points of each case that has any."""
    scores = [part for part in scores if len(part)]
    n = len(scores)
    if n < fewest_cases(level):
        return None
    values = np.concatenate(scores)
    shares = np.concatenate([np.full(len(part), 1 / ((n + 1) * len(part))) for part in scores])
    order = np.argsort(values)
    place = int(np.searchsorted(np.cumsum(shares[order]), level - ROUNDING))
    return float(values[order[min(place, len(values) - 1)]])
