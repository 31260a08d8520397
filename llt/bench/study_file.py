"""The accuracy study as a file: which models are trained on what, how, and with which seeds.

    [data.darcy]
    file = "darcy.h5"            # beside the study file, or anywhere
    hash = "2505896ab2adeb0f"

    [[group]]                    # every combination is a cell
    problems = ["darcy"]
    models = ["llt", "transolver"]
    recipes = ["best", "paper"]
    seeds = [0, 1]
    epochs = 50                  # default: the recipe's
    preset = "tiny"              # sizes; default: the problem's
    label = "matched"            # tells cells of different groups apart
    [group.settings]             # for all models of the group
    "train.precision" = "tf32"
    [group.only.transolver]      # for one of them
    "train.lr" = 5e-4

A cell whose model is not for its problem's kind of mesh is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Any

import torch

from llt.bench.contender import Contender
from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.errors import ConfigError, DataError, unknown
from llt.models import MODELS, build_model
from llt.models.base import needs
from llt.recipes import RECIPES, recipe_preset
from llt.runtime.reading import read_toml_file, reading
from llt.training.settings import by_section


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    problems: Sequence[str]
    models: Sequence[str]
    recipes: Sequence[str] = ("best",)
    seeds: Sequence[int] = (0,)
    epochs: int = 0  # 0: the recipe's
    preset: str = ""
    label: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    only: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Group:
        """From TOML, with everything that can be wrong in it said."""
        kinds = {entry.name: str(entry.type).partition("[")[0] for entry in fields(cls)}
        right = {"Sequence": list, "Mapping": dict, "int": int, "str": str}
        for name, value in given.items():
            if name not in kinds:
                raise ConfigError(unknown("entry of a group", name, kinds))
            if type(value) is not right[kinds[name]]:
                raise ConfigError(
                    f"{name} = {value!r} must be of type {right[kinds[name]].__name__}"
                )
        for name in ("problems", "models"):
            if not given.get(name):
                raise ConfigError(f"a group has no {name}")
        group = cls(**given)
        for model in (*group.models, *group.only):
            if model not in MODELS:
                raise ConfigError(unknown("model", model, MODELS))
        for recipe in group.recipes:
            if recipe not in RECIPES:
                raise ConfigError(unknown("recipe", recipe, RECIPES))
        for seed in group.seeds:
            if type(seed) is not int or seed < 0:
                raise ConfigError(f"seeds = {group.seeds} must be numbers from 0 on")
        if group.epochs < 0:
            raise ConfigError(f"epochs = {group.epochs} must not be negative")
        return group


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One training of a study."""

    name: str
    data: str
    seed: int
    label: str
    contender: Contender


@dataclass(frozen=True, slots=True)
class StudyFile:
    path: Path
    data: Mapping[str, Path]
    hashes: Mapping[str, str]
    cells: Sequence[Cell]
    unfit: Sequence[tuple[str, str]]  # problem and model that is not for such meshes


def read_study(path: Path) -> StudyFile:
    content = read_toml_file(path)
    with reading(path, ConfigError):
        for name in content:
            if name not in ("data", "group"):
                raise ConfigError(unknown("section", name, ("data", "group")))
        files = {name: _data(path, name, about) for name, about in content["data"].items()}
        groups = [Group.of(given) for given in content["group"]]
        for name in {name for group in groups for name in group.problems}:
            if name not in files:
                raise ConfigError(f"problem {name!r} has no [data.{name}]")
        return _assemble(path, files, groups)


def _data(path: Path, name: str, about: Any) -> tuple[Path, Dataset]:
    if not isinstance(about, dict) or about.keys() - {"file", "hash"} or "file" not in about:
        raise ConfigError(f"[data.{name}] needs file, and may have hash")
    data = dataset_file.read(path.parent / about["file"])
    if about.get("hash", data.hash) != data.hash:
        raise DataError(
            f"{path.parent / about['file']} holds {data.hash}, the study is of {about['hash']}"
        )
    return path.parent / about["file"], data


def _assemble(
    path: Path, files: Mapping[str, tuple[Path, Dataset]], groups: Sequence[Group]
) -> StudyFile:
    cells: dict[str, Cell] = {}
    unfit: list[tuple[str, str]] = []
    for group in groups:
        combinations = product(group.problems, group.models, group.recipes, group.seeds)
        for problem, model, recipe, seed in combinations:
            data = files[problem][1]
            if not needs(data.problem) <= MODELS[model].supports:
                unfit.append((problem, model))
                continue
            cell = _cell(group, problem, data, model, recipe, seed)
            if cells.setdefault(cell.name, cell) != cell:
                raise ConfigError(f"two groups have a cell {cell.name}; give one a label")
    return StudyFile(
        path,
        {name: found for name, (found, _) in files.items()},
        {name: data.hash for name, (_, data) in files.items()},
        list(cells.values()),
        list(dict.fromkeys(unfit)),
    )


def _cell(group: Group, problem: str, data: Dataset, model: str, recipe: str, seed: int) -> Cell:
    num_train = len(data.split("train"))
    preset = recipe_preset(recipe, data.problem, model, group.preset or None, num_train=num_train)
    contender = Contender.of(model, model, preset, model=model, recipe=recipe)
    changes = {**group.settings, **group.only.get(model, {}), "train.seed": seed}
    if group.epochs:
        changes |= {"train.epochs": group.epochs, "train.steps": 0}
    contender = contender.changed(by_section(changes))
    with torch.device("meta"):
        build_model(model, data.problem, **contender.settings)  # refused now, if at all
    words = [problem, model, recipe, *([str(group.epochs)] if group.epochs else [])]
    words += [*([group.label] if group.label else []), f"seed-{seed}"]
    return Cell(
        name="-".join(words), data=problem, seed=seed, label=group.label, contender=contender
    )
