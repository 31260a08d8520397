"""Recipes: how a model is built and trained for a problem, by name.

paper   the paper's network and training, its Tables 2 and 3 (`llt.presets`)
best    what measured best: Muon, a loss that sees derivatives, the problem's symmetries, and for
        LLT a wider neighborhood. Within 1.25 times the paper's parameters. docs/recipes.md has
        what each part is worth.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from llt.errors import ConfigError, unknown
from llt.models import build_model
from llt.presets import Preset, find_preset, problem_preset
from llt.problem import Problem

RECIPES = {
    "best": "what measured best: the default",
    "paper": "the paper's network and training, its Tables 2 and 3",
}


def recipe_preset(
    recipe: str, problem: Problem, model: str = "llt", preset: str | None = None
) -> Preset:
    """Settings of a model and its training for a problem.

    Args:
        preset: sizes and budget by this name instead of the problem's own.
    """
    if recipe not in RECIPES:
        raise ConfigError(unknown("recipe", recipe, RECIPES))
    paper = find_preset(preset, model) if preset else problem_preset(problem.name, model)
    return paper if recipe == "paper" else _best(paper, problem, model)


def _best(paper: Preset, problem: Problem, model: str) -> Preset:
    settings = {**paper.model, **_wider(problem)} if model == "llt" else dict(paper.model)
    with torch.device("meta"):  # nothing is allocated
        network = build_model(model, problem, **settings)
    grid = problem.grid is not None
    train = replace(
        paper.train,
        optimizer="muon" if network.matrices() else "adamw",
        schedule="onecycle",
        derivative=0.1 if grid or network.max_neighbors else 0.0,
        augment=bool(problem.symmetries),
        mean_field=grid,
    )
    return replace(paper, model=settings, train=train)


def _wider(problem: Problem) -> dict[str, Any]:
    """LLT's local path sees further: two points to each side, or a larger graph."""
    return {"radius": 4.0} if problem.grid is None else {"kernel": 5}
