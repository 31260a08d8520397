"""Benchmarks that train: `llt bench accuracy`, `llt bench race` and `llt bench small`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.cli.options import DEVICE, JSON
from llt.cli.words import counts, numbers, words
from llt.errors import ConfigError

if TYPE_CHECKING:
    from llt.bench.contender import Contender
    from llt.bench.small import Entry
    from llt.bench.study_cell import Cell


def race(
    data: Path = typer.Argument(help="A dataset file."),
    to: float = typer.Option(..., help="The target: a validation error, as 0.0044."),
    only: str = typer.Option("", help="Of best,paper,transolver; default: all."),
    epochs: str = typer.Option("", help="As best=50,transolver=500; default: the recipe's."),
    set_: list[str] = typer.Option(
        [], "--set", help="A contender's setting, as transolver.train.precision=tf32."
    ),
    device: str = DEVICE,
    out: Path = typer.Option(Path("runs/race"), help="Folder for runs, record.json and race.png."),
    json_: bool = JSON,
) -> None:
    """Train LLT with both recipes and Transolver with its own: error over seconds.

    The same command goes on with a race that was stopped.
    """
    import json

    from llt.bench import race as races
    from llt.bench.race_report import TITLES, race_rows, verdict
    from llt.bench.tables import plain_table
    from llt.cli.display import say, show, stoppable
    from llt.data import dataset_file
    from llt.runtime.device import find_device

    known = races.contenders(dataset_file.read(data).problem, find_device(device))
    budgets = dict(counts(epochs, "--epochs", "NAME=EPOCHS as in best=50"))
    entries = races.choose(known, words(only), budgets, _settings(set_))
    with stoppable("the same command goes on"):
        found = races.race(data, entries, out, target=to, device=device, progress=_contending)
    if json_:
        print(json.dumps(found.to_dict()))
    else:
        show(plain_table(found.title, TITLES, race_rows(found.results)), verdict(found.results))
    say(f"{out}: record.json with all numbers, race.png, and the run folders")


def accuracy(
    study: Path = typer.Argument(help="A TOML file; docs/accuracy.md says what is in it."),
    jobs: int = typer.Option(1, min=1, help="Trainings at a time on the device."),
    plan: bool = typer.Option(False, "--plan", help="Say what there is to do, and do nothing."),
    only: str = typer.Option("", help="Some of its problems, as darcy,pipe; default: all."),
    device: str = DEVICE,
    out: Path = typer.Option(Path("runs/accuracy"), help="Folder for the runs and record.json."),
    json_: bool = JSON,
) -> None:
    """Train all models of a study on all its problems; only what is missing.

    The same command goes on with a study that was stopped, or whose file has grown.
    """
    import json

    from llt.bench.accuracy import AccuracyStudy
    from llt.bench.accuracy_report import open_ends, progress
    from llt.bench.accuracy_tables import tier_table, tiers
    from llt.bench.rate_table import any_tried, rate_table
    from llt.bench.study_file import read_study
    from llt.bench.tables import plain_table
    from llt.cli.display import say, show, stoppable

    found = AccuracyStudy(read_study(study), out, device, words(only))
    say(f"{study}: {progress(found, jobs)}")
    for line in open_ends(found):
        say(line)
    if not plan:

        def tell(cell: Cell, what: str) -> None:
            say(f"{cell.name}: {what}; {progress(found, jobs)}")

        with stoppable("the same command goes on"):
            found.run(jobs, tell, timing=tell)
    record = found.record()
    if json_:
        print(json.dumps(record.to_dict()))
    else:
        results = found.results()
        tables = [("Rates: validation errors", rate_table(results))] if any_tried(results) else []
        tables += [(f"Tier {n}", tier_table(results, n)) for n in tiers(results)]
        show(*(plain_table(title, *table) for title, table in tables))


def small(
    data: list[Path] = typer.Argument(help="Dataset files, one for each problem."),
    samples: str = typer.Option("20,100", help="Numbers of training samples."),
    models: str = typer.Option(
        "", help="As llt:best:demo,fno; default: LLT, FNO or GeoFNO, Transolver."
    ),
    seconds: float = typer.Option(120.0, help="Of each training."),
    test: int = typer.Option(50, help="Test samples, at most."),
    threads: int = typer.Option(1, help="Of each training."),
    jobs: int = typer.Option(1, min=1, help="Trainings at a time."),
    out: Path = typer.Option(Path("runs/small"), help="Folder for record.json, figure and runs."),
    json_: bool = JSON,
) -> None:
    """Train on few samples for minutes on the CPU, LLT beside FNO or GeoFNO and Transolver.

    What record.json in the folder holds already is kept.
    """
    import json

    from llt.bench.small import Budget, Study
    from llt.bench.small_report import small_table
    from llt.bench.tables import plain_table
    from llt.cli.display import say, show, stoppable

    study = Study(out, data, Budget(seconds=seconds, threads=threads, test=test))
    cells = study.plan(numbers(samples, "--samples", "20,100"), _entries(models))
    say(f"{len(cells)} trainings of {seconds:g} s, {jobs} at a time with threads {threads}")
    with stoppable("the same command goes on"):
        found = study.run(cells, jobs, _tell_cell)
    if json_:
        print(json.dumps(found.to_dict()))
    else:
        show(plain_table(found.title, *small_table(found.results["cells"])))
    say(f"{out}: record.json with all numbers, small.png, the sets and the run folders")


@contextmanager
def _contending(contender: Contender) -> Iterator[Any]:
    from llt.cli.display import say, training

    say(f"{contender.title}: {contender.train.epochs} epochs")
    with training() as listener:
        yield listener


def _tell_cell(name: str, cell: Mapping[str, Any]) -> None:
    from llt.cli.display import say

    error, mean_field = cell["test_error"], cell["mean_field_error"]
    spent = f"{cell['steps']} steps in {cell['training_seconds']:.0f} s"
    say(f"{name}: test error {error:.4f}, mean field {mean_field:.4f}, {spent}")


def _entries(text: str) -> list[Entry]:
    """`llt:best:demo,fno`; without a recipe LLT has its best and the others the paper's."""
    entries = []
    for word in words(text):
        name, recipe, preset, *rest = [*word.split(":"), "", ""]
        if any(rest):
            raise ConfigError(f"--models {word}: expected MODEL:RECIPE:PRESET, as llt:best:demo")
        entries.append((name, recipe or ("best" if name == "llt" else "paper"), preset))
    return entries


def _settings(given: list[str]) -> dict[str, Any]:
    """`transolver.train.precision=tf32`, by contender."""
    from llt.training.settings import merge, parse_words

    settings: dict[str, Any] = {}
    for word in given:
        name, _, setting = word.partition(".")
        if not setting:
            raise ConfigError(f"--set {word}: expected NAME.train.lr=1e-3 or NAME.model.dim=64")
        settings[name] = merge(settings.get(name, {}), parse_words([setting]))
    return settings
