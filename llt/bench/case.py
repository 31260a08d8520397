"""What is measured: a mesh and the settings of each model on it.

Matched cases give both models the same width and depth on grids of growing size; problem cases
are the paper's problems, each model with its own preset.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any

import torch

from llt.errors import ConfigError
from llt.models import MODELS as ALL_MODELS
from llt.models.base import needs
from llt.presets import find_preset
from llt.problem import Field, Problem, find_problem

MODELS = ("llt", "transolver")
MATCHED_SIZES = (4_096, 8_192, 16_384, 32_768, 65_536)  # the paper's
MATCHED_SETTINGS = {"dim": 128, "num_layers": 8, "heads": 8}
PAPER_PROBLEMS = ("elasticity", "plasticity", "airfoil", "pipe", "darcy")  # in its cost figure
POINT_SETS = {"elasticity": 972, "car": 32_186}  # points per sample in the benchmark


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One line of a cost table."""

    name: str
    problem: Problem
    num_points: int
    settings: Mapping[str, Mapping[str, Any]]  # per model, its keyword arguments


def matched_case(num_points: int) -> Case:
    problem = Problem(
        name=f"grid of {num_points}",
        space_dim=2,
        inputs=(Field("a"),),
        outputs=(Field("u"),),
        grid=near_square(num_points),
    )
    return Case(
        name=f"{num_points:,}",
        problem=problem,
        num_points=num_points,
        settings=dict.fromkeys(MODELS, MATCHED_SETTINGS),
    )


def default_problems(device: torch.device) -> tuple[str, ...]:
    """The paper's, and on a GPU the cars: plain kernels need more memory for them than PCs have."""
    return PAPER_PROBLEMS if device.type == "cpu" else (*PAPER_PROBLEMS, "car")


def problem_case(name: str) -> Case:
    problem = find_problem(name)
    return Case(
        name=name,
        problem=problem,
        num_points=problem.num_points or POINT_SETS[name],
        settings=_presets(name, MODELS),
    )


def models_case(name: str) -> Case:
    """All models that are for such meshes, each with its preset."""
    case = problem_case(name)
    able = [m for m, cls in ALL_MODELS.items() if needs(case.problem) <= cls.supports]
    return replace(case, settings=_presets(name, able))


def _presets(problem: str, models: Iterable[str]) -> dict[str, dict[str, Any]]:
    # as plain ones, which can be sent to the process that measures
    return {model: dict(find_preset(problem, model).model) for model in models}


def near_square(num_points: int) -> tuple[int, int]:
    """The grid of exactly so many points whose sides differ least."""
    for rows in range(isqrt(max(num_points, 0)), 1, -1):
        if num_points % rows == 0:
            return rows, num_points // rows
    raise ConfigError(f"{num_points} points fill no grid; choose a number like 4096 = 64 x 64")
