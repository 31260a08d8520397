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
from llt.presets import Preset, find_preset, preset_name, problem_preset
from llt.problem import Problem

FEW = 200  # samples to train on
RECIPES = {
    "best": "what measured best: the default",
    "paper": "the paper's network and training, its Tables 2 and 3",
}


def recipe_preset(
    recipe: str,
    problem: Problem,
    model: str = "llt",
    preset: str | None = None,
    *,
    num_train: int | None = None,
) -> Preset:
    """Settings of a model and its training for a problem.

    Args:
        preset: sizes and budget by this name instead of the problem's own.
        num_train: samples to train on; None stands for many.
    """
    if recipe not in RECIPES:
        raise ConfigError(unknown("recipe", recipe, RECIPES))
    paper = find_preset(preset, model) if preset else problem_preset(problem, model)
    if recipe == "paper":
        return paper
    best = _best(paper, problem, model)
    few = num_train is not None and num_train < FEW
    return _for_few(best, problem, model) if few else best


def _best(paper: Preset, problem: Problem, model: str) -> Preset:
    settings = {**paper.model, **_network(problem)} if model == "llt" else dict(paper.model)
    with torch.device("meta"):  # nothing is allocated
        network = build_model(model, problem, **settings)
    sees_neighbors = problem.grid is not None or network.max_neighbors > 0
    train = replace(
        paper.train,
        optimizer="muon" if network.matrices() else "adamw",
        schedule="onecycle",
        clip=1.0,
        batch_size=max(2, paper.train.batch_size),
        derivative=_derivative(problem) if sees_neighbors else 0.0,
        augment=bool(problem.symmetries),
        balance=preset_name(problem) == "" and problem.out_channels > 1,
        # where points are, less where they usually are, is how they have moved
        mean_field=problem.grid is not None
        and any(any(s.output_shifts) for s in problem.symmetries),
        # point sets are learned by heart sooner
        weight_decay=paper.train.weight_decay if problem.grid else 0.05,
    )
    return replace(paper, model=settings, train=train)


def _for_few(best: Preset, problem: Problem, model: str) -> Preset:
    """Few samples need not teach the mean field: it is given. Small batches make more of minutes.

    A user's own problem has no sizes of its own, and smaller ones do.
    """
    structured = problem.grid is not None
    train = replace(best.train, mean_field=structured, batch_size=2 if structured else 1)
    settings = dict(best.model)
    if model == "llt" and not structured:
        settings["radius"] = 4.0  # as good then, and faster
    if model == "llt" and "dim" not in settings:
        settings |= {"dim": 64, "num_layers": 4}
    return replace(best, model=settings, train=train)


def _network(problem: Problem) -> dict[str, Any]:
    """LLT's two paths count the same, and the local one sees further."""
    further = {"radius": 6.0} if problem.grid is None else {"kernel": 5}
    return {"alpha": 0.5, **further}


def _derivative(problem: Problem) -> float:
    """Weight of the derivatives in the loss.

    Where the geometry is the input, grids are curved and crowded at walls and shocks, where
    derivatives are so large that they would hide all else; Pipe's grid is even.
    """
    if problem.grid is None:
        return 0.5
    return 0.3 if problem.in_channels or problem.name == "pipe" else 0.03
