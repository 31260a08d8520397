"""A group of a study file: every combination of its problems, models, recipes and seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import inf
from typing import Any

from llt.bench.matched import MATCHED
from llt.errors import ConfigError, unknown
from llt.models import MODELS
from llt.recipes import RECIPES

ALL = "all"
RATES = ("train.lr", "train.muon_lr")  # what a chosen rate changes
SIZES = ("model.dim", "model.heads")  # what matched sizes change


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    problems: Sequence[str]
    models: Sequence[str]
    rivals: int = 0  # so many models besides, on each problem the best of the tier before
    recipes: Sequence[str] = ("best",)
    seeds: Sequence[int] = (0,)
    epochs: int = 0  # 0: the recipe's
    preset: str = ""
    sizes: str = ""  # matched: as many parameters as LLT has; empty: those of the literature
    rates: Sequence[float] = ()  # times the recipe's, of which later tiers take the best
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
        _check_tier(group)
        _check_rates(group)
        _check_sizes(group)
        return group

    def changes(self, model: str) -> dict[str, Any]:
        """Settings of a model's recipe that are others here."""
        changes = {**self.settings, **self.only.get(model, {})}
        if self.epochs:
            changes |= {"train.epochs": self.epochs, "train.steps": 0}
        return changes


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


def _check_tier(group: Group) -> None:
    if group.rates:
        if group.tier or group.rivals:
            raise ConfigError(
                f"rates = {group.rates} are tried in tier 0 and without rivals, "
                f"not in tier {group.tier} with rivals = {group.rivals}"
            )
    elif group.tier < (2 if group.rivals else 1):
        raise ConfigError(
            f"tier = {group.tier} must be 1 or more, and 2 or more where rivals are asked for; "
            "tier 0 is for rates"
        )


def _check_rates(group: Group) -> None:
    for rate in group.rates:
        if type(rate) not in (int, float) or not 0 < rate < inf:
            raise ConfigError(f"rates = {group.rates} must be positive numbers, times the recipe's")
    if len({*group.rates}) < len(group.rates):
        raise ConfigError(f"rates = {group.rates} must differ")
    if group.rates:
        _refuse(group, RATES, f"rates = {group.rates}")


def _check_sizes(group: Group) -> None:
    if group.sizes not in ("", MATCHED):
        raise ConfigError(unknown("sizes", group.sizes, [MATCHED]))
    if group.sizes:
        _refuse(group, SIZES, f'sizes = "{group.sizes}"')


def _refuse(group: Group, names: Sequence[str], why: str) -> None:
    """Two entries of a group cannot say the same thing."""
    for settings in (group.settings, *group.only.values()):
        for name in names:
            if name in settings:
                raise ConfigError(f"{why} and {name} = {settings[name]} exclude each other")
