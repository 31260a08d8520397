"""Plain alternatives to the reference solvers, one module per problem.

Each has PLAIN, what the alternative is, and `compare(index, settings)`: both solve the same sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Comparison:
    """Processor seconds of both, and how far ours is from the alternative's solution."""

    ours_s: float
    plain_s: float
    deviation: float


class Rival(Protocol):
    PLAIN: str

    def compare(self, index: int, settings: Any) -> Comparison: ...


def find_rival(problem: str) -> Rival:
    return cast(Rival, import_module(f"llt.bench.rivals.{problem}"))


def relative(values: NDArray[Any], reference: NDArray[Any]) -> float:
    return float(np.linalg.norm(values - reference) / np.linalg.norm(reference))
