"""Rows of two models side by side, as in the paper's cost tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llt.bench.authors import NAME as AUTHORS
from llt.bench.cost import Row

RIVAL = ("transolver", AUTHORS)  # ours and its authors': the faster one counts


@dataclass(frozen=True, slots=True)
class Comparison:
    """LLT and Transolver on one case: both in the same mode, or each at its best."""

    case: str
    way: str  # a mode, with the kernels LLT uses where they are not plain; or best
    llt: Row | None
    transolver: Row | None

    @property
    def num_points(self) -> int:
        row = self.llt or self.transolver
        return row.num_points if row else 0

    @property
    def speedup(self) -> float | None:
        """Transolver's median time over LLT's."""
        if not (self.llt and self.transolver and self.llt.ms and self.transolver.ms):
            return None
        return self.transolver.ms / self.llt.ms

    def to_dict(self) -> dict[str, Any]:
        sides = {"llt": self.llt, "transolver": self.transolver}
        return {
            "case": self.case,
            "num_points": self.num_points,
            "way": self.way,
            **{f"{name}_ms": row and row.ms for name, row in sides.items()},
            **{f"{name}_mib": row and row.memory_mib for name, row in sides.items()},
            **{f"{name}_way": row and str(row.way) for name, row in sides.items()},
            "transolver_code": self.transolver and self.transolver.model,
            "speedup": self.speedup,
        }


def compare(rows: Sequence[Row]) -> list[Comparison]:
    """Every way LLT was run in, then the best of each; within a way, one entry per case."""
    cases = list(dict.fromkeys(row.case for row in rows))
    llt_ways = list(dict.fromkeys(row.way for row in rows if row.model == "llt"))
    found = [
        Comparison(
            case,
            str(way),
            _pick(rows, case, "llt", way.mode, way.kernels),
            _pick(rows, case, "transolver", way.mode, "reference"),
        )
        for way in llt_ways
        for case in cases
    ]
    if len({(row.model, row.way) for row in rows}) > 2:
        found += [
            Comparison(case, "best", _best(rows, case, "llt"), _best(rows, case, *RIVAL))
            for case in cases
        ]
    return [entry for entry in found if entry.llt or entry.transolver]


def _pick(rows: Sequence[Row], case: str, model: str, mode: str, kernels: str) -> Row | None:
    wanted = (case, model, mode, kernels)
    return next((r for r in rows if (r.case, r.model, r.mode, r.kernels) == wanted), None)


def _best(rows: Sequence[Row], case: str, *models: str) -> Row | None:
    """The fastest row; where all failed, one of those."""
    own = [row for row in rows if row.case == case and row.model in models]
    return min(own, key=lambda row: row.ms or float("inf"), default=None)
