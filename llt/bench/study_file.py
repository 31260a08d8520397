"""The accuracy study as a file: which models are trained on what, how, and with which seeds.

    records = "records/*.json"   # what was trained elsewhere and is not trained again

    [settings]                   # for all models of all groups
    "train.mode" = "fastest"

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
    sizes = "matched"            # as many parameters as LLT has; their label is matched, too
    label = "tf32"               # tells cells of different groups apart
    [group.settings]             # for all models of the group
    "train.precision" = "tf32"
    [group.only.transolver]      # for one of them
    "train.lr" = 5e-4

    [[group]]
    tier = 0
    rates = [0.3, 1.0, 3.0]      # times the recipe's; all later tiers take each model's best
    problems = ["darcy"]         # one for each kind of mesh: grids, point sets
    models = ["all"]
    epochs = 5

A cell whose model is not for its problem's kind of mesh is left out. Data of the paper's problems
may be missing: their cells are planned all the same, and refused when they are to be trained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from llt.bench.matched import no_size
from llt.bench.record import load_record
from llt.bench.study_cell import Cell, Source, cells_of
from llt.bench.study_choice import Find, Rate, Rivals, choose_factor, choose_rivals
from llt.bench.study_group import RATES, Group
from llt.bench.study_results import merge
from llt.data import dataset_file
from llt.errors import ConfigError, DataError, unknown
from llt.models import MODELS
from llt.models.base import needs
from llt.problem import PROBLEMS
from llt.runtime.reading import read_toml_file, reading

SECTIONS = ("records", "settings", "data", "group")
Pair = tuple[str, str]  # a problem and a model


@dataclass(frozen=True, slots=True)
class StudyFile:
    path: Path
    data: Mapping[str, Source]
    groups: Sequence[Group]
    known: Mapping[str, Any]  # results of records, merged
    cells: Sequence[Cell] = ()
    unfit: Sequence[Pair] = ()  # that is not for such meshes
    unmatched: Sequence[Pair] = ()  # a rival that no width brings near LLT's parameters
    rivals: Sequence[Rivals] = ()
    rates: Sequence[Rate] = ()

    @property
    def waiting(self) -> list[Rivals]:
        return [entry for entry in self.rivals if entry.models is None]

    @property
    def open_rates(self) -> list[Rate]:
        return [entry for entry in self.rates if entry.factor is None]

    def assembled(self, find: Find) -> StudyFile:
        """With all cells that are known when these results are."""
        found = replace(self, cells=(), unfit=(), unmatched=(), rivals=(), rates=())
        for group, problem in self._places():
            found = found._with_rivals(group, problem, find)._with_cells(group, problem)
            found = found._with_rates(group, problem, find)
        return found

    def grown(self, find: Find) -> StudyFile:
        """With the cells of rates and rivals that can be chosen by now."""
        waiting = {(entry.tier, entry.data) for entry in self.waiting}
        places = ((g, name) for g, name in self._places() if g.rivals and (g.tier, name) in waiting)
        rivals = (self._rivals(group, problem, find) for group, problem in places)
        factors = (self._factor(entry, find) for entry in self.open_rates)
        chosen = any(found is not None for found in (*factors, *rivals))
        return self.assembled(find) if chosen else self

    def _places(self) -> list[tuple[Group, str]]:
        """Groups and their problems, the first tier first."""
        by_tier = sorted(self.groups, key=lambda group: group.tier)
        return [(group, problem) for group in by_tier for problem in group.problems]

    def _with_rivals(self, group: Group, problem: str, find: Find) -> StudyFile:
        """Groups of a tier share its rivals on a problem."""
        known = self._rivals_of(group.tier, problem)
        if not group.rivals or (known and known.number == group.rivals):
            return self
        if known:
            raise ConfigError(
                f"groups of tier {group.tier} ask for {known.number} and for {group.rivals} "
                f"rivals on {problem}; make these the same"
            )
        models = self._rivals(group, problem, find)
        chosen = Rivals(group.tier, problem, group.rivals, models)
        return replace(self, rivals=[*self.rivals, chosen])

    def _with_cells(self, group: Group, problem: str) -> StudyFile:
        """Of a group on one of its problems."""
        data, rivals = self.data[problem], self._rivals_of(group.tier, problem)
        chosen = (rivals.models or ()) if rivals and group.rivals else ()
        models = [*group.models, *(model for model in chosen if model not in group.models)]
        fit = [model for model in models if needs(data.problem) <= MODELS[model].supports]
        cells, unmatched = {cell.name: cell for cell in self.cells}, [*self.unmatched]
        for model, recipe in product(fit, group.recipes):
            rates: list[float | None] = [*group.rates]
            rates = rates or [self._rate(group, problem, model, recipe)]
            made = cells_of(group, (problem, data), model, recipe, rates)
            if made is None and model in group.models:
                raise ConfigError(f"{no_size(model, problem)}; take it out of this group")
            unmatched += [(problem, model)] if made is None else []
            for cell in made or ():
                if cells.setdefault(cell.name, cell) != cell:
                    raise ConfigError(f"two groups have a cell {cell.name}; give one a label")
        unfit = [*self.unfit, *((problem, model) for model in models if model not in fit)]
        return replace(
            self,
            cells=[*cells.values()],
            unfit=[*dict.fromkeys(unfit)],
            unmatched=[*dict.fromkeys(unmatched)],
        )

    def _with_rates(self, group: Group, problem: str, find: Find) -> StudyFile:
        """That a group tries on one of its problems."""
        if not group.rates:
            return self
        tried = [
            Rate(problem, recipe, model)
            for model, recipe in product(group.models, group.recipes)
            if (problem, model) not in self.unfit
        ]
        found = [replace(entry, factor=self._factor(entry, find)) for entry in tried]
        return replace(self, rates=[*self.rates, *found])

    def _rate(self, group: Group, problem: str, model: str, recipe: str) -> float | None:
        """The recipe's own where the group has others, or nothing was tried on such meshes."""
        if any(name in group.changes(model) for name in RATES):
            return 1.0
        tried = [
            entry
            for entry in self.rates
            if (entry.model, entry.recipe) == (model, recipe)
            and self._is_grid(entry.data) == self._is_grid(problem)
        ]
        if len(tried) > 1:
            raise ConfigError(
                f"rates of {model} are tried on {' and '.join(entry.data for entry in tried)}; "
                f"for {'grids' if self._is_grid(problem) else 'point sets'} choose one of them"
            )
        return tried[0].factor if tried else 1.0

    def _is_grid(self, problem: str) -> bool:
        return self.data[problem].problem.grid is not None

    def _factor(self, rate: Rate, find: Find) -> float | None:
        return choose_factor(rate, cells=self.cells, known=self.known["rates"], find=find)

    def _rivals(self, group: Group, problem: str, find: Find) -> Sequence[str] | None:
        before = self._rivals_of(group.tier - 1, problem)
        complete = before is None or before.models is not None
        known = self.known["rivals"]
        return choose_rivals(
            group, problem, cells=self.cells, complete=complete, known=known, find=find
        )

    def _rivals_of(self, tier: int, problem: str) -> Rivals | None:
        places = {(entry.tier, entry.data): entry for entry in self.rivals}
        return places.get((tier, problem))


def read_study(path: Path) -> StudyFile:
    """With the rates and rivals that its records tell."""
    content = read_toml_file(path)
    with reading(path, ConfigError):
        for name in content:
            if name not in SECTIONS:
                raise ConfigError(unknown("section", name, SECTIONS))
        data = {name: _source(path, name, about) for name, about in content["data"].items()}
        common = content.get("settings", {})
        groups = [Group.of(_with_settings(given, common)) for given in content["group"]]
        for name in {name for group in groups for name in group.problems}:
            if name not in data:
                raise ConfigError(f"problem {name!r} has no [data.{name}]")
        records = path.parent.glob(content["records"]) if "records" in content else ()
        known = merge(
            {found.stem: load_record(found) for found in sorted(records)},
            {name: source.hash for name, source in data.items() if source.hash},
        )
        return StudyFile(path, data, groups, known).assembled(known["cells"].get)


def _with_settings(group: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
    """A group with the settings that all have; its own count more."""
    own = group.get("settings", {})
    if not isinstance(common, dict):
        raise ConfigError(f"settings = {common!r} must be a section [settings]")
    return {**group, "settings": {**common, **own} if isinstance(own, dict) else own}


def _source(path: Path, name: str, about: Any) -> Source:
    if not isinstance(about, dict) or about.keys() - {"file", "hash"} or "file" not in about:
        raise ConfigError(f"[data.{name}] needs file, and may have hash")
    file = path.parent / about["file"]
    if name in PROBLEMS and not file.exists():
        return Source(file, PROBLEMS[name], about.get("hash"), None)
    data = dataset_file.read(file)
    if about.get("hash", data.hash) != data.hash:
        raise DataError(f"{file} holds {data.hash}, the study is of {about['hash']}")
    num_train = len(data.split("train"))
    times = 1 if data.times is None else len(data.times)
    return Source(file, data.problem, data.hash, num_train, num_train * times)
