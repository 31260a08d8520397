"""Where errors are largest, in words: which training cases are missing.

Every number that tells cases apart (`trust.features`) is ranked beside the errors. What is said
would come by chance once in a hundred such tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

FEWEST = 20  # cases
CHANCE = 0.01  # of saying anything where there is nothing, over all numbers together
STRONG = 0.3  # rank correlation worth a word
APART = 0.5  # of a second number with the first, at most
Floats = NDArray[np.float64]


def hardest(
    words: Mapping[str, Sequence[str]], numbers: Sequence[Mapping[str, Floats]], errors: Floats
) -> str:
    """A sentence, empty where nothing stands out.

    Args:
        words: what the numbers of every group are called.
        numbers: of every case, by group.
        errors: of every case.
    """
    if len(errors) < FEWEST or np.ptp(errors) == 0:
        return ""
    from scipy.stats import spearmanr  # half a second, which most never need

    names = [name for group in numbers[0] for name in words[group]]
    columns = np.stack([np.concatenate([*case.values()]) for case in numbers], axis=1)
    found = []
    for name, column in zip(names, columns, strict=True):
        if np.ptp(column) <= 1e-6 * np.abs(column).max():  # the same in all cases
            continue
        result = spearmanr(column, errors)
        if result.pvalue * len(names) < CHANCE and abs(result.statistic) > STRONG:
            found.append((float(result.statistic), name, column))
    found.sort(key=lambda part: -abs(part[0]))
    told = found[:1]
    told += [
        other for other in found[1:] if abs(spearmanr(other[2], found[0][2]).statistic) < APART
    ][:1]
    if not told:
        return ""
    parameters = {name for group in words if group.startswith("parameter") for name in words[group]}
    return f"errors are largest {' and '.join(_phrase(*part[:2], parameters) for part in told)}"


def _phrase(correlation: float, name: str, parameters: set[str]) -> str:
    side = "high" if correlation > 0 else "low"
    article = "" if name in parameters else "the "
    return f"where {article}{name} is {side} (rank correlation {correlation:.2f})"
