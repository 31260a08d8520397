"""What every reference solver gives: one random sample of its problem, solved.

A solver is a module with
    Settings                     a frozen dataclass; its defaults are the published problem
    VERSION                      raised whenever the numbers it gives change
    solve_sample(rng, settings, index=i)
                                 draws a sample, solves it, returns a `Solution`; a draw that
                                 cannot be solved raises `SolverError` and is drawn again; the
                                 sample's number is for settings that name samples one by one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from llt.errors import SolverError

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Solution:
    """One solved sample: arrays of shape (*grid) on structured meshes, (N,) on point sets.

    With times, outputs have them as a first axis; inputs may.
    """

    points: Array  # (*grid, d) or (N, d)
    inputs: dict[str, Array]  # by field name; empty when the geometry alone is the input
    outputs: dict[str, Array]
    times: Array | None = None  # (T,)
    masks: dict[str, NDArray[np.bool_]] = field(default_factory=dict)  # named sets of points
    parameters: dict[str, float] = field(default_factory=dict)  # of the case, which go in
    derived: dict[str, float] = field(default_factory=dict)  # what follows from the solution
    # "drag/pressure": what a derived number has of an output, point by point: their products' sum
    weights: dict[str, Array] = field(default_factory=dict)
    info: dict[str, float] = field(default_factory=dict)  # iterations, residual, parameters ...


class Solver(Protocol):
    """The shape of a solver module."""

    Settings: type[Any]
    VERSION: int

    def solve_sample(
        self, rng: np.random.Generator, settings: Any, *, index: int | None = None
    ) -> Solution: ...


class BatchedSolver(Protocol):
    """The shape of a module that solves many samples at once, on any torch device."""

    BATCH_SIZE: int  # what keeps a GPU busy and fits into it

    def solve_samples(
        self, rngs: Sequence[np.random.Generator], settings: Any, *, device: Any
    ) -> list[Solution | SolverError]:
        """What the solver gives or raises for each generator, all in one batch."""
        ...


def batches(num: int, most: int) -> list[range]:
    """Samples 0 to num - 1 in few batches of one size, so that what is compiled for it serves all.

    The last may be smaller.
    """
    size = ceil(num / ceil(num / most))
    return [range(first, min(first + size, num)) for first in range(0, num, size)]


def sample_rng(seed: int, index: int, attempt: int = 0) -> np.random.Generator:
    """The random stream of one sample: the same whatever the number of workers or samples."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index, attempt)))
