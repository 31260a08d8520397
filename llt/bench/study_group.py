"""A group of a study file: every combination of its problems, models, recipes and seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from llt.errors import ConfigError, unknown
from llt.models import MODELS
from llt.recipes import RECIPES

ALL = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    problems: Sequence[str]
    models: Sequence[str]
    rivals: int = 0  # so many models besides, on each problem the best of the tier before
    recipes: Sequence[str] = ("best",)
    seeds: Sequence[int] = (0,)
    epochs: int = 0  # 0: the recipe's
    preset: str = ""
    tier: int = 1
    label: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    only: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Group:
        """From TOML, with everything that can be wrong in it said."""
        _check_kinds(given, {entry.name: str(entry.type) for entry in fields(cls)})
        group = cls(**{**given, **({"models": [*MODELS]} if given["models"] == [ALL] else {})})
        for model in (*group.models, *group.only):
            if model not in MODELS:
                raise ConfigError(unknown("model", model, MODELS))
        for recipe in group.recipes:
            if recipe not in RECIPES:
                raise ConfigError(unknown("recipe", recipe, RECIPES))
        for seed in group.seeds:
            if type(seed) is not int or seed < 0:
                raise ConfigError(f"seeds = {group.seeds} must be numbers from 0 on")
        for name in ("epochs", "rivals"):
            if getattr(group, name) < 0:
                raise ConfigError(f"{name} = {getattr(group, name)} must not be negative")
        if group.tier < (2 if group.rivals else 1):
            raise ConfigError(
                f"tier = {group.tier} must be 1 or more, and 2 or more where rivals are asked for"
            )
        return group


def _check_kinds(given: Mapping[str, Any], types: Mapping[str, str]) -> None:
    kinds = {name: text.partition("[")[0] for name, text in types.items()}
    right = {"Sequence": list, "Mapping": dict, "int": int, "str": str}
    for name, value in given.items():
        if name not in kinds:
            raise ConfigError(unknown("entry of a group", name, kinds))
        if type(value) is not right[kinds[name]]:
            raise ConfigError(f"{name} = {value!r} must be of type {right[kinds[name]].__name__}")
    for name in ("problems", "models"):
        if not given.get(name):
            raise ConfigError(f"a group has no {name}")
