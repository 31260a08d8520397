"""Small training sets: a few samples, a model, a fixed time on the CPU.

The first samples of a file's splits make a set: n to train on, a quarter as many (5 at least) to
validate on, and some to test on. A few steps and a validation are timed; then the model is trained
for as many epochs as fit the time, so that its schedule ends there. What comes before the first
step and the test after the last are not part of that time.

record.json  one cell for each set, model and recipe
small.png    test errors beside the error of the mean field
*.h5         the sets
*/           the run folders
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from llt.bench.contender import Contender, outcome, train_contender
from llt.bench.figures import TITLES, png
from llt.bench.pilot import fit_time
from llt.bench.record import Record, load_record, new_record, write_record
from llt.bench.small_report import small_figure
from llt.data import dataset_file
from llt.data.collate import collate
from llt.data.dataset import Dataset
from llt.data.splits import NAMES, Splits
from llt.errors import ConfigError, DataError
from llt.fitting import graded
from llt.models import build_model
from llt.problem import Problem
from llt.recipes import recipe_preset
from llt.runtime.files import write_bytes

Tell = Callable[[str, Mapping[str, Any]], None]
Entry = tuple[str, str, str]  # model, recipe, and the preset of its sizes or "" for the problem's


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """What every training may take."""

    seconds: float = 120.0
    threads: int = 1
    test: int = 50  # samples, at most

    def __post_init__(self) -> None:
        for name in ("seconds", "threads", "test"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"--{name} {getattr(self, name)}: expected more than 0")


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One training of the study."""

    data: str  # the name of a file
    samples: int
    model: str
    recipe: str
    preset: str = ""  # of its sizes; "" is the problem's

    @property
    def set(self) -> str:
        return f"{self.data}-{self.samples}"

    @property
    def name(self) -> str:
        return "-".join(
            [self.set, self.model, self.recipe, *([self.preset] if self.preset else [])]
        )


def default_entries(problem: Problem) -> list[Entry]:
    """LLT, and the others with the paper's recipe and with LLT's, all at sizes for a CPU."""
    fourier = "geofno" if problem.grid is None else "fno"
    others = [(name, recipe) for name in (fourier, "transolver") for recipe in ("paper", "best")]
    return [(name, recipe, "demo") for name, recipe in [("llt", "best"), *others]]


def subset(data: Dataset, train: int, test: int) -> Dataset:
    """The first samples of every split."""
    _check_size(data, train)
    sizes = {"train": train, "val": max(5, train // 4), "test": test}
    parts = [data.split(name)[: sizes[name]] for name in NAMES]
    return collate(
        data.problem,
        [data.sample(index) for part in parts for index in part],
        Splits.consecutive(*map(len, parts)),
        times=data.times,
        provenance={**data.provenance, "first_samples_of": data.hash},
    )


def _check_size(data: Dataset, train: int) -> None:
    there = len(data.split("train"))
    if not 0 < train <= there:
        raise DataError(f"{data.problem.name}: {train} samples asked for, split train has {there}")


class Study:
    """A folder that fills up with cells; those that are there are not measured again."""

    def __init__(self, out: Path, files: Sequence[Path], budget: Budget) -> None:
        self.out, self.budget = out, budget
        self.files = {path.stem: path for path in files}
        if len(self.files) < len(files):
            raise ConfigError("two of the files have the same name; cells are named after them")
        self.data = {name: dataset_file.read(path) for name, path in self.files.items()}
        self.cells: dict[str, Any] = {}
        self.record = new_record(
            "small",
            f"Small training sets, {budget.seconds:g} seconds each on the CPU",
            torch.device("cpu"),
            {"cells": self.cells},
            asdict(budget),
        )
        self.record = replace(self.record, data={k: {"hash": v.hash} for k, v in self.data.items()})
        if self._path.is_file():
            self._take(load_record(self._path))

    @property
    def _path(self) -> Path:
        return self.out / "record.json"

    def _take(self, earlier: Record) -> None:
        """Go on with an earlier record, if it was made in the same way."""
        for name, value in self.record.settings.items():
            if earlier.settings.get(name) != value:
                raise ConfigError(
                    f"{self._path}: was made with {name} {earlier.settings.get(name)}, "
                    f"not {value}; choose another --out"
                )
        for name, about in self.record.data.items():
            if earlier.data.get(name, about) != about:
                raise ConfigError(f"{self._path}: was made of another {name}; choose another --out")
        self.cells |= earlier.results["cells"]
        self.record = replace(self.record, data={**earlier.data, **self.record.data})

    def plan(self, samples: Sequence[int], entries: Sequence[Entry]) -> list[Cell]:
        """What is to be measured; without entries, the models that fit each problem."""
        cells = [
            Cell(data=name, samples=number, model=model, recipe=recipe, preset=preset)
            for name, data in self.data.items()
            for number in samples
            for model, recipe, preset in entries or default_entries(data.problem)
        ]
        for cell in cells:  # refuse what cannot be done before anything is measured
            data = self.data[cell.data]
            build_model(cell.model, data.problem, **contender(cell, data.problem).settings)
            _check_size(data, cell.samples)
        return [cell for cell in cells if cell.name not in self.cells]

    def run(self, cells: Sequence[Cell], jobs: int, tell: Tell) -> Record:
        """Measure the cells; after each, record and figure are on the disk."""
        for name, number in dict.fromkeys((cell.data, cell.samples) for cell in cells):
            part = subset(self.data[name], number, self.budget.test)
            dataset_file.write(self.out / f"{name}-{number}.h5", part)
        for cell, found in self._measured(cells, jobs):
            self.cells[cell.name] = found
            write_record(self._path, self.record)
            write_bytes(self.out / "small.png", png(small_figure(self.cells)))
            tell(cell.name, found)
        return self.record

    def _measured(self, cells: Sequence[Cell], jobs: int) -> Iterator[tuple[Cell, dict[str, Any]]]:
        if jobs == 1:
            for cell in cells:
                yield cell, measure(cell, self.out, self.budget)
            return
        # forked processes would inherit the threads of this one, and hang
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, mp_context=context) as pool:
            started = {pool.submit(measure, cell, self.out, self.budget): cell for cell in cells}
            try:
                for done in as_completed(started):
                    yield started[done], done.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def contender(cell: Cell, problem: Problem) -> Contender:
    preset = recipe_preset(
        cell.recipe, problem, cell.model, cell.preset or None, num_train=cell.samples
    )
    title = TITLES.get(cell.model, cell.model)
    entry = Contender.of(cell.name, title, preset, model=cell.model, recipe=cell.recipe)
    # as with so little time on a CPU
    return entry.changed(graded(problem, cell.model)) if cell.recipe == "best" else entry


def measure(cell: Cell, out: Path, budget: Budget) -> dict[str, Any]:
    """Train and test one cell; a training that was stopped goes on."""
    path, run, before = out / f"{cell.set}.h5", out / cell.name, torch.get_num_threads()
    torch.set_num_threads(budget.threads)
    try:
        data = dataset_file.read(path).load()
        entry = contender(cell, data.problem)
        if not (run / "config.toml").is_file():
            entry = fit_time(entry, data, budget.seconds)
        train_contender(entry, path, run, device="cpu")
    finally:
        torch.set_num_threads(before)
    found = outcome(run)
    config = found["settings"]["train"]
    sizes = {f"{name}_samples": len(data.splits[name]) for name in ("val", "test")}
    items = cell.samples * (1 if data.times is None else len(data.times))
    steps = config["epochs"] * (items // min(config["batch_size"], items))
    return {**asdict(cell), **sizes, "steps": steps, **found}
