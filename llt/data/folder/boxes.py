"""Mix-ups of units and axes, which show in the boxes around the cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

# in size, that geometry does not explain: mm against m are 1000, against inches 25.4
FACTOR = 100
ALIKE_FACTOR = 8  # where the middle half of all cases has one size
ALIKE, APART = 0.1, 0.5  # of an edge: permuted axes fit so well, unpermuted ones so badly
Array = NDArray[np.float64]


def mix_ups(names: Sequence[str], low: Array, high: Array) -> list[str]:
    """What to say of cases whose boxes, with corners (S, d), do not go with the others."""
    edges = high - low
    usual = np.median(edges, axis=0)
    size, usual_size = edges.max(axis=1), usual.max()
    if len(names) < 3 or not usual_size > 0:
        return []
    factor, found = _factor(size), []
    for name, edge, own in zip(names, edges, size, strict=True):
        ratio = own / usual_size
        if not 1 / factor < ratio < factor:
            times = (
                f"{ratio:.3g} times larger"
                if ratio > 1
                else f"{1 / max(ratio, 1e-300):.3g} times smaller"
            )
            found.append(f"{name}: its box is {times} than the others'; other units?")
        elif _off(edge, usual) > APART and any(
            _off(edge[[*order]], usual) < ALIKE for order in permutations(range(len(edge)))
        ):
            found.append(
                f"{name}: its box is {_words(edge)}, the others' {_words(usual)}; other axes?"
            )
    return found


def _factor(size: Array) -> float:
    """The less sizes differ, the less it takes to stand out."""
    low, high = np.quantile(size, (0.25, 0.75))
    return FACTOR if low <= 0 else min(FACTOR, ALIKE_FACTOR * float(high / low) ** 2)


def _off(edge: Array, usual: Array) -> float:
    """By what share of the larger one edges differ at most; edges of no length do not count."""
    larger = np.maximum(np.maximum(edge, usual), 1e-6 * usual.max())
    return float((np.abs(edge - usual) / larger).max())


def _words(edge: Array) -> str:
    return " x ".join(f"{length:.3g}" for length in edge)
