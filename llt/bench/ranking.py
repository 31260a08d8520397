"""Ranks with their uncertainty: a range for every model, from means and spreads over seeds.

One model is better than another for sure where the whole of mean ± spread lies below the other's.
A rank goes from one more than the number of those that are better for sure to as many as are not
worse for sure. Nobody knows the spread of a single seed, nor the error of an open cell: with one
of them in the contest all ranks of the contest are guesses from the means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev


@dataclass(frozen=True, slots=True)
class Rank:
    best: int
    worst: int
    guessed: bool = False

    @property
    def wins(self) -> bool:
        return self.worst == 1 and not self.guessed

    def __str__(self) -> str:
        known = str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"
        return f"{known}?" if self.guessed else known


def ranks(errors: Mapping[str, Sequence[float]], *, complete: bool) -> dict[str, Rank]:
    """Of the errors of each model's seeds; `complete`: nothing of the contest is open."""
    if complete and len(errors) > 1 and all(len(seeds) > 1 for seeds in errors.values()):
        bars = {model: _bar(seeds) for model, seeds in errors.items()}
        return {model: _rank(bar, [*bars.values()]) for model, bar in bars.items()}
    means = [fmean(seeds) for seeds in errors.values()]
    places = (1 + sum(other < fmean(seeds) for other in means) for seeds in errors.values())
    return {m: Rank(place, place, True) for m, place in zip(errors, places, strict=True)}


def _bar(errors: Sequence[float]) -> tuple[float, float]:
    mean, spread = fmean(errors), stdev(errors)
    return mean - spread, mean + spread


def _rank(bar: tuple[float, float], bars: Sequence[tuple[float, float]]) -> Rank:
    low, high = bar
    better = sum(other_high < low for _, other_high in bars)
    worse = sum(high < other_low for other_low, _ in bars)
    return Rank(1 + better, len(bars) - worse)
