"""The accuracy study as a file: which models are trained on what, how, and with which seeds.

    records = "records/*.json"   # what was trained elsewhere and is not trained again

    [data.darcy]
    file = "darcy.h5"            # beside the study file, or anywhere
    hash = "2505896ab2adeb0f"

    [[group]]                    # every combination is a cell
    problems = ["darcy"]
    models = ["llt", "transolver"]  # or ["all"]
    tier = 2                     # default: 1
    rivals = 3                   # on each problem also the best three of the tier before
    recipes = ["best", "paper"]
    seeds = [0, 1]
    epochs = 50                  # default: the recipe's
    preset = "tiny"              # sizes; default: the problem's
    label = "matched"            # tells cells of different groups apart
    [group.settings]             # for all models of the group
    "train.precision" = "tf32"
    [group.only.transolver]      # for one of them
    "train.lr" = 5e-4

A cell whose model is not for its problem's kind of mesh is left out. Data of the paper's problems
may be missing: their cells are planned all the same, and refused when they are to be trained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import torch

from llt.bench.contender import Contender
from llt.bench.record import load_record
from llt.bench.selection import Result, best_models
from llt.bench.study_group import Group
from llt.bench.study_results import merge
from llt.data import dataset_file
from llt.errors import ConfigError, DataError, unknown
from llt.models import MODELS, build_model
from llt.models.base import needs
from llt.problem import PROBLEMS, Problem
from llt.recipes import recipe_preset
from llt.runtime.reading import read_toml_file, reading
from llt.training.settings import by_section

SECTIONS = ("records", "data", "group")
Find = Callable[[str], Result | None]  # what came out of a cell, by its name


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
    contender: Contender

    @property
    def way(self) -> str:
        """What all its seeds have in common."""
        return self.name.removesuffix(f"-seed-{self.seed}")


@dataclass(frozen=True, slots=True)
class Rivals:
    """Models that go on to a tier on a problem."""

    tier: int
    data: str
    number: int
    models: Sequence[str] | None  # None: open, as the tier before is not finished


@dataclass(frozen=True, slots=True)
class StudyFile:
    path: Path
    data: Mapping[str, Source]
    groups: Sequence[Group]
    known: Mapping[str, Any]  # results of records, merged
    cells: Sequence[Cell] = ()
    unfit: Sequence[tuple[str, str]] = ()  # problem and model that is not for such meshes
    rivals: Sequence[Rivals] = ()

    @property
    def waiting(self) -> list[Rivals]:
        return [entry for entry in self.rivals if entry.models is None]

    def assembled(self, find: Find) -> StudyFile:
        """With all cells that are known when these results are."""
        cells: dict[str, Cell] = {}
        unfit: dict[tuple[str, str], None] = {}
        rivals: list[Rivals] = []
        for group, problem in self._places():
            so_far = replace(self, cells=[*cells.values()], rivals=rivals)
            chosen = so_far._rivals(group, problem, find)
            if group.rivals:
                rivals.append(Rivals(group.tier, problem, group.rivals, chosen))
            data = self.data[problem]
            for model, recipe in product((*group.models, *(chosen or ())), group.recipes):
                if not needs(data.problem) <= MODELS[model].supports:
                    unfit[problem, model] = None
                    continue
                for cell in _cells(group, problem, data, model, recipe):
                    if cells.setdefault(cell.name, cell) != cell:
                        raise ConfigError(f"two groups have a cell {cell.name}; give one a label")
        return replace(self, cells=[*cells.values()], unfit=[*unfit], rivals=rivals)

    def grown(self, find: Find) -> StudyFile:
        """With the cells of rivals that can be chosen by now."""
        waiting = {(entry.tier, entry.data) for entry in self.waiting}
        places = ((g, name) for g, name in self._places() if g.rivals and (g.tier, name) in waiting)
        chosen = [self._rivals(group, problem, find) for group, problem in places]
        return self if all(models is None for models in chosen) else self.assembled(find)

    def _places(self) -> list[tuple[Group, str]]:
        """Groups and their problems, the first tier first."""
        by_tier = sorted(self.groups, key=lambda group: group.tier)
        return [(group, problem) for group in by_tier for problem in group.problems]

    def _rivals(self, group: Group, problem: str, find: Find) -> Sequence[str] | None:
        """None: the tier before is not finished. What a record says stays."""
        if not group.rivals:
            return []
        for entry in self.known["rivals"]:
            if entry["models"] and (entry["tier"], entry["data"]) == (group.tier, problem):
                return list(entry["models"])
        place = (group.tier - 1, problem)
        if any((entry.tier, entry.data) == place for entry in self.waiting):
            return None
        before = [
            cell
            for cell in self.cells
            if (cell.tier, cell.data) == place and cell.contender.recipe in group.recipes
        ]
        if not before:
            raise ConfigError(
                f"rivals = {group.rivals} of tier {group.tier} on {problem}: tier "
                f"{group.tier - 1} trains nothing there with {' or '.join(group.recipes)}"
            )
        return best_models([find(cell.name) for cell in before], group.rivals, group.models)


def read_study(path: Path) -> StudyFile:
    """With the rivals that its records tell."""
    content = read_toml_file(path)
    with reading(path, ConfigError):
        for name in content:
            if name not in SECTIONS:
                raise ConfigError(unknown("section", name, SECTIONS))
        data = {name: _source(path, name, about) for name, about in content["data"].items()}
        groups = [Group.of(given) for given in content["group"]]
        for name in {name for group in groups for name in group.problems}:
            if name not in data:
                raise ConfigError(f"problem {name!r} has no [data.{name}]")
        records = path.parent.glob(content["records"]) if "records" in content else ()
        known = merge(
            {found.stem: load_record(found) for found in sorted(records)},
            {name: source.hash for name, source in data.items() if source.hash},
        )
        return StudyFile(path, data, groups, known).assembled(known["cells"].get)


def _source(path: Path, name: str, about: Any) -> Source:
    if not isinstance(about, dict) or about.keys() - {"file", "hash"} or "file" not in about:
        raise ConfigError(f"[data.{name}] needs file, and may have hash")
    file = path.parent / about["file"]
    if name in PROBLEMS and not file.exists():
        return Source(file, PROBLEMS[name], about.get("hash"), None)
    data = dataset_file.read(file)
    if about.get("hash", data.hash) != data.hash:
        raise DataError(f"{file} holds {data.hash}, the study is of {about['hash']}")
    return Source(file, data.problem, data.hash, len(data.split("train")))


def _cells(group: Group, problem: str, data: Source, model: str, recipe: str) -> list[Cell]:
    """One for every seed."""
    num_train = data.num_train
    preset = recipe_preset(recipe, data.problem, model, group.preset or None, num_train=num_train)
    contender = Contender.of(model, model, preset, model=model, recipe=recipe)
    changes = {**group.settings, **group.only.get(model, {})}
    if group.epochs:
        changes |= {"train.epochs": group.epochs, "train.steps": 0}
    contender = contender.changed(by_section(changes))
    with torch.device("meta"):
        build_model(model, data.problem, **contender.settings)  # refused now, if at all
    words = [problem, model, recipe, *([str(group.epochs)] if group.epochs else [])]
    way = "-".join([*words, *([group.label] if group.label else [])])
    return [
        Cell(
            name=f"{way}-seed-{seed}",
            data=problem,
            seed=seed,
            tier=group.tier,
            label=group.label,
            contender=contender.changed(by_section({"train.seed": seed})),
        )
        for seed in group.seeds
    ]
