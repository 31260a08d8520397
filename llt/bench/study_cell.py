"""A cell of the accuracy study: one training of a model on a problem, and how its name says so.

    darcy-fno-best-50-matched-rate-0.3-seed-2

is FNO on Darcy with the recipe `best` for 50 epochs, in LLT's size, with 0.3 times the recipe's
learning rates. A cell that says nothing of a rate has the recipe's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from llt.bench.contender import Contender
from llt.bench.matched import MATCHED, OURS, matched_size, parameters
from llt.bench.study_group import Group
from llt.presets import Preset
from llt.problem import Problem
from llt.recipes import recipe_preset
from llt.training.settings import by_section

DRAWN = ("best", "")  # recipe and label of what is in the figures
_preset = cache(recipe_preset)  # builds networks, and a study that grows asks again


@dataclass(frozen=True, slots=True)
class Source:
    """The data of a problem."""

    path: Path
    problem: Problem
    hash: str | None  # None: the file is not here, and nobody says
    num_train: int | None  # None: the file is not here
    num_items: int = 0  # samples at all their times, that are trained on

    @property
    def is_here(self) -> bool:
        return self.num_train is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One training of a study."""

    name: str
    data: str
    seed: int
    tier: int
    label: str
    sizes: str
    rate: float | None  # times the recipe's learning rates; None: not chosen yet
    contender: Contender

    @property
    def way(self) -> str:
        """What all its seeds have in common."""
        return self.name.removesuffix(f"-seed-{self.seed}")

    @property
    def is_drawn(self) -> bool:
        """Whether it has a part in its problem's figure: with the recipe that all models have."""
        return bool(self.tier) and (self.contender.recipe, self.label) == DRAWN


def cells_of(
    group: Group, source: tuple[str, Source], model: str, recipe: str, rates: Sequence[float | None]
) -> list[Cell] | None:
    """One for every rate and seed; None where no size is matched to LLT's."""
    problem, data = source
    contender = _contender(group, data, model, recipe)
    if contender is None:
        return None
    # LLT has its own size already: its cells are those of groups that match nothing
    sizes = "" if model == OURS else group.sizes
    label = group.label or sizes
    words = [problem, model, recipe, str(group.epochs or ""), label]
    name = "-".join(filter(None, words))
    return [
        Cell(
            name=f"{name}{_rate_word(rate, group)}-seed-{seed}",
            data=problem,
            seed=seed,
            tier=group.tier,
            label=label,
            sizes=sizes,
            rate=rate,
            contender=_with_rate(contender, rate or 1.0, seed),
        )
        for rate, seed in product(rates, group.seeds)
    ]


def _contender(group: Group, data: Source, model: str, recipe: str) -> Contender | None:
    def preset(name: str) -> Preset:
        return _preset(recipe, data.problem, name, group.preset or None, num_train=data.num_train)

    contender = Contender.of(model, model, preset(model), model=model, recipe=recipe)
    contender = contender.changed(by_section(group.changes(model)))
    # where the recipe counts steps, epochs follow from the data
    contender = replace(contender, train=contender.train.with_budget(data.num_items))
    parameters(model, data.problem, contender.settings)  # what is wrong is refused now
    if group.sizes == MATCHED and model != OURS:
        target = parameters(OURS, data.problem, preset(OURS).model)
        size = matched_size(model, data.problem, contender.settings, target)
        return None if size is None else contender.changed({"model": size, "train": {}})
    return contender


def _rate_word(rate: float | None, group: Group) -> str:
    if rate is None:
        return "-rate-open"
    return f"-rate-{rate:g}" if group.rates or rate != 1 else ""


def _with_rate(contender: Contender, rate: float, seed: int) -> Contender:
    train: dict[str, Any] = {
        "lr": rate * contender.train.lr,
        "muon_lr": rate * contender.train.muon_lr,
        "seed": seed,
    }
    return contender.changed({"model": {}, "train": train})
