"""A cell of the accuracy study: one training of a model on a problem, and how its name says so.

    darcy-fno-best-50-matched-rate-0.3-seed-2

is FNO on Darcy with the recipe `best` for 50 epochs, in LLT's size, with 0.3 times the recipe's
learning rates. A cell that says nothing of a rate has the recipe's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch

from llt.bench.contender import Contender
from llt.bench.matched import MATCHED, OURS, matched_size, our_parameters
from llt.bench.study_group import Group
from llt.models import build_model
from llt.problem import Problem
from llt.recipes import recipe_preset
from llt.training.settings import by_section


@dataclass(frozen=True, slots=True)
class Source:
    """The data of a problem."""

    path: Path
    problem: Problem
    hash: str | None  # None: the file is not here, and nobody says
    num_train: int | None  # None: the file is not here

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


def cells_of(
    group: Group, source: tuple[str, Source], model: str, recipe: str, rates: Sequence[float | None]
) -> list[Cell]:
    """One for every rate and seed; none where no size is matched to LLT's."""
    problem, data = source
    contender = _contender(group, data, model, recipe)
    if contender is None:
        return []
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
    given = group.preset or None, data.num_train
    preset = recipe_preset(recipe, data.problem, model, given[0], num_train=given[1])
    contender = Contender.of(model, model, preset, model=model, recipe=recipe)
    contender = contender.changed(by_section(group.changes(model)))
    if group.sizes == MATCHED and model != OURS:
        target = our_parameters(data.problem, *given)
        size = matched_size(model, data.problem, contender.settings, target)
        if size is None:
            return None
        contender = contender.changed({"model": size, "train": {}})
    with torch.device("meta"):
        build_model(model, data.problem, **contender.settings)  # refused now, if at all
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
