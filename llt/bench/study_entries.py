"""Entries of the accuracy study: a model, trained in one way on one problem, with all its seeds.

Entries with the same problem, tier, epochs, recipe and label are a contest: they are ranked
against each other, and against nobody else. Rates are each model's own and make no other contest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from llt.bench.matched import MATCHED, OURS
from llt.bench.ranking import Rank, ranks
from llt.bench.study_cell import DRAWN
from llt.bench.study_results import Results
from llt.problem import PROBLEMS

Contest = tuple[int, str, int, str, str]  # tier, data, epochs, recipe, label
Models = dict[str, list[tuple[str, Mapping[str, Any]]]]  # cells of each, with their names


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    contest: Contest
    model: str
    seeds: Sequence[Mapping[str, Any]]  # that are done
    failures: Sequence[Mapping[str, Any]]
    num_open: int
    seconds: float | None  # of all steps, alone on the device
    rank: Rank | None  # None: no seed is done, or one has diverged

    @property
    def tier(self) -> int:
        return self.contest[0]

    @property
    def data(self) -> str:
        return self.contest[1]

    @property
    def column(self) -> tuple[str, int]:
        """Problem and epochs."""
        return self.contest[1:3]

    @property
    def row(self) -> tuple[str, str, str]:
        return self.model, *self.contest[3:]

    @property
    def error(self) -> float:
        return fmean(seed["test_error"] for seed in self.seeds)

    @property
    def spread(self) -> float | None:
        errors = [seed["test_error"] for seed in self.seeds]
        return stdev(errors) if len(errors) > 1 else None

    @property
    def is_drawn(self) -> bool:
        """Whether it has a point in its problem's figure."""
        return bool(self.seeds) and not self.failures and self.row[1:] == DRAWN

    @property
    def validation(self) -> float:
        return fmean(seed["best_val_error"] for seed in self.seeds)


def entries(results: Results) -> list[Entry]:
    """By tier, then in the order of the paper's problems."""
    waiting = {(row["tier"], row["data"]) for row in results["rivals"] if row["models"] is None}
    contests: dict[Contest, Models] = {}
    for name, cell in {**results["cells"], **results["open"]}.items():
        if cell["tier"]:  # what only chose a rate is no contest
            models = contests.setdefault(_contest(cell), {})
            models.setdefault(cell["model"], []).append((name, cell))
    _add_ours(contests)
    found = []
    for contest in sorted(contests, key=_order):
        found += _entries(contest, contests[contest], contest[:2] in waiting, results["alone"])
    return found


def _add_ours(contests: dict[Contest, Models]) -> None:
    """LLT has the matched size as it is: the same trainings are in both contests."""
    for contest, models in contests.items():
        same = contests.get((*contest[:4], ""), {})
        if contest[4] == MATCHED and OURS in same:
            models.setdefault(OURS, same[OURS])


def _entries(
    contest: Contest,
    models: Models,
    waiting: bool,
    alone: Mapping[str, float],
) -> list[Entry]:
    errors = {
        model: [cell["test_error"] for _, cell in cells if "test_error" in cell]
        for model, cells in models.items()
        if not any("error" in cell for _, cell in cells)
    }
    is_open = any(_is_open(cell) for cells in models.values() for _, cell in cells)
    places = ranks({m: e for m, e in errors.items() if e}, complete=not (waiting or is_open))
    return [
        Entry(
            contest=contest,
            model=model,
            seeds=[cell for _, cell in cells if "test_error" in cell],
            failures=[cell for _, cell in cells if "error" in cell],
            num_open=sum(_is_open(cell) for _, cell in cells),
            seconds=alone.get(cells[0][0].rpartition("-seed-")[0]),
            rank=places.get(model),
        )
        for model, cells in models.items()
    ]


def _is_open(cell: Mapping[str, Any]) -> bool:
    return "error" not in cell and "test_error" not in cell


def _contest(cell: Mapping[str, Any]) -> Contest:
    return cell["tier"], cell["data"], cell["epochs"], cell["recipe"], cell["label"]


def place(problem: str) -> tuple[int, str]:
    """In the order of the paper's problems, others after them."""
    known = [*PROBLEMS]
    return known.index(problem) if problem in known else len(known), problem


def _order(contest: Contest) -> tuple[Any, ...]:
    tier, problem, *rest = contest
    return tier, place(problem), *rest
