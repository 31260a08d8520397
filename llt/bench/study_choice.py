"""What a study chooses by itself: the rates of each model, and the rivals of each tier.

Both are functions of finished cells (`selection`). What a record says of a choice holds: it was
made when those cells were finished, and others have been trained by it since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from llt.bench.selection import Result, best_models, best_rate
from llt.bench.study_cell import Cell
from llt.bench.study_group import Group
from llt.errors import ConfigError

Find = Callable[[str], Result | None]  # what came out of a cell, by its name
Known = Sequence[Mapping[str, Any]]  # choices of one kind that records tell


@dataclass(frozen=True, slots=True)
class Rate:
    """What a model's learning rates are multiplied with, on all meshes of a kind."""

    data: str  # where it was tried
    recipe: str
    model: str
    factor: float | None = None  # None: open, as not everything is tried


@dataclass(frozen=True, slots=True)
class Rivals:
    """Models that go on to a tier on a problem."""

    tier: int
    data: str
    number: int
    models: Sequence[str] | None  # None: open, as the tier before is not finished


def choose_factor(rate: Rate, *, cells: Sequence[Cell], known: Known, find: Find) -> float | None:
    """None: some of its cells are not finished."""
    key = rate.data, rate.recipe, rate.model
    for entry in known:
        if entry["factor"] and (entry["data"], entry["recipe"], entry["model"]) == key:
            return float(entry["factor"])
    trials: dict[float, list[Result | None]] = {}
    for cell in cells:
        made = cell.contender
        if cell.tier == 0 and cell.rate and (cell.data, made.recipe, made.model) == key:
            trials.setdefault(cell.rate, []).append(find(cell.name))
    return best_rate(trials)


def choose_rivals(
    group: Group,
    problem: str,
    *,
    cells: Sequence[Cell],
    complete: bool,
    known: Known,
    find: Find,
) -> Sequence[str] | None:
    """None: the tier before is not finished.

    Args:
        complete: all cells of the tier before are among these.
    """
    for entry in known:
        if entry["models"] and (entry["tier"], entry["data"]) == (group.tier, problem):
            return list(entry["models"])
    if not complete:
        return None
    before = [
        cell
        for cell in cells
        if (cell.tier, cell.data) == (group.tier - 1, problem)
        and cell.contender.recipe in group.recipes
        and not cell.sizes  # rivals are who is best in the sizes of the literature
    ]
    if not before:
        raise ConfigError(
            f"rivals = {group.rivals} of tier {group.tier} on {problem}: tier "
            f"{group.tier - 1} trains nothing there with {' or '.join(group.recipes)}"
        )
    return best_models([find(cell.name) for cell in before], group.rivals, group.models)
