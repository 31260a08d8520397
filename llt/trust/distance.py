"""How far a case lies from the training cases: above 1, further than every one of them.

In each group of numbers (`trust.features`) it is the larger of two, and 1 the most that training
cases have:
    the Mahalanobis distance from the mean, divided by the largest that a training case has from
    the others. Few cases do not tell a covariance: it is mixed with the identity, the more so the
    fewer there are
    how far a single number is from the middle of its range, divided by the half of that range and
    a margin, the wider the fewer cases there are: one odd training case must not hide others
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SAME = 0.01  # of the unit box, or of a field's deviation: differences that tell nothing
FEWEST = 9  # training cases; fewer say nothing about what is usual


@dataclass(frozen=True)
class Group:
    """Training cases in the numbers of one group."""

    name: str
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    inverse: tuple[tuple[float, ...], ...]  # of the covariance of scaled numbers
    reach: float  # the distance of the farthest training case
    middle: tuple[float, ...]
    half: tuple[float, ...]  # of the range of every number, with its margin

    @classmethod
    def fit(cls, name: str, rows: Floats) -> Group:
        """From the numbers of all training cases, (S, F)."""
        S, F = rows.shape
        mean, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), SAME)
        z = (rows - mean) / scale
        own = F / (S + F)  # the share of the identity
        share = (1 - own) / (S - 1)
        inverse = np.linalg.inv(share * (z.T @ z) + own * np.eye(F))
        squares = _squares(z, inverse)
        # of every case from the others: without it both mean and covariance are different
        grown = S / (S - 1)
        alone = grown**2 * squares / (1 - np.minimum(share * grown * squares, 1 - 1e-9))
        return cls(
            name=name,
            mean=_short(mean),
            scale=_short(scale),
            inverse=tuple(map(_short, inverse)),
            reach=max(float(np.sqrt(alone.max())), 1.0),
            middle=_short((rows.max(axis=0) + rows.min(axis=0)) / 2),
            half=_short(np.maximum(np.ptp(rows, axis=0) / 2, SAME) * (1 + 2 * margin(S))),
        )

    def distances(self, rows: Floats) -> Floats:
        """Of cases with these numbers, (B, F): (B,), 1 that of the farthest training case."""
        z = (rows - np.array(self.mean)) / np.array(self.scale)
        together = np.sqrt(_squares(z, np.array(self.inverse))) / self.reach
        single = np.abs(rows - np.array(self.middle)) / np.array(self.half)
        return np.maximum(together, single.max(axis=1))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Group:
        lists = ("mean", "scale", "middle", "half")
        return cls(
            name=str(value["name"]),
            inverse=tuple(map(tuple, value["inverse"])),
            reach=float(value["reach"]),
            **{name: tuple(value[name]) for name in lists},
        )


@dataclass(frozen=True, slots=True)
class Distance:
    """Of one case, and the group of numbers in which it is largest."""

    value: float
    group: str


def margin(cases: int) -> float:
    """By what part of its range a number may leave it and tell nothing."""
    return 0.1 + 10 / cases


def fit_groups(numbers: Sequence[Mapping[str, Floats]]) -> tuple[Group, ...]:
    """From the numbers of all training cases; none from few."""
    if len(numbers) < FEWEST:
        return ()
    names = numbers[0]
    return tuple(Group.fit(name, np.stack([case[name] for case in numbers])) for name in names)


def find_distance(groups: Sequence[Group], numbers: Mapping[str, Floats]) -> Distance:
    """Of a case: the largest in any group."""
    found = [Distance(float(g.distances(numbers[g.name][None])[0]), g.name) for g in groups]
    return max(found, key=lambda distance: distance.value)


def _squares(z: Floats, inverse: Floats) -> Floats:
    return np.maximum(np.einsum("sf,fg,sg->s", z, inverse, z), 0.0)


def _short(values: Floats) -> tuple[float, ...]:
    """In single precision: half the size of the file."""
    return tuple(float(f"{value:.8g}") for value in values)
