"""The accuracy study in tables: errors of all models, and what is left to train."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from llt.bench.accuracy import BEGUN, DONE, FAILED, LEFT, AccuracyStudy
from llt.bench.figures import TITLES
from llt.bench.race_report import duration
from llt.bench.study_file import Cell

Cells = Iterable[Mapping[str, Any]]
Way = tuple[str, int, str]  # recipe, epochs, label


def error_table(results: Mapping[str, Any]) -> tuple[list[str], list[tuple[str, ...]]]:
    """Titles and rows: a row for every model and way of training, a column for every problem."""
    cells = list(results["cells"].values())
    unfit = [tuple(pair) for pair in results["unfit"]]
    problems = list(
        dict.fromkeys([*(cell["data"] for cell in cells), *(name for name, _ in unfit)])
    )
    rows = []
    for model, *way in dict.fromkeys((c["model"], *_way(c)) for c in cells):
        same = [c for c in cells if c["model"] == model and [*_way(c)] == way]
        texts = [
            "not for such meshes"
            if (name, model) in unfit
            else _errors([c for c in same if c["data"] == name])
            for name in problems
        ]
        rows.append((TITLES.get(model, model), _named(way), *texts))
    return ["model", "trained", *problems], rows


def _errors(cells: Sequence[Mapping[str, Any]]) -> str:
    """Mean over seeds, their spread where there are several, the worst sample of all."""
    failed = [cell for cell in cells if "error" in cell]
    if failed:
        return failed[0]["error"].partition(";")[0]
    if not cells:
        return ""
    errors = [cell["test_error"] for cell in cells]
    spread = f" ± {stdev(errors):.5f}" if len(errors) > 1 else ""
    return f"{mean(errors):.5f}{spread} (worst {max(cell['worst'] for cell in cells):.4f})"


def _way(cell: Mapping[str, Any]) -> Way:
    return cell["recipe"], cell["epochs"], cell["label"]


def _named(way: Sequence[Any]) -> str:
    recipe, epochs, label = way
    return ", ".join([recipe, f"{epochs} epochs", *([label] if label else [])])


def progress(study: AccuracyStudy, jobs: int) -> str:
    """What is done, what is left and how long it will take, in one line."""
    counts = {state: len(study.cells(state)) for state in (DONE, FAILED, BEGUN, LEFT)}
    text = ", ".join(f"{number} {state}" for state, number in counts.items() if number)
    times = [seconds_left(study, cell) for cell in study.cells(BEGUN, LEFT)]
    known = [seconds for seconds in times if seconds is not None]
    if not times:
        return text
    unknown = len(times) - len(known)
    about = f"about {duration(sum(known) / jobs)} to go" if known else "no time known yet"
    more = f", {unknown} of an unknown length" if known and unknown else ""
    return f"{text}; {about}{more}"


def seconds_left(study: AccuracyStudy, cell: Cell) -> float | None:
    """From what epochs of this cell, or of cells like it, have taken; None: nobody knows."""
    epochs, spent = cell.contender.train.epochs, _epochs(study.out / cell.name)
    if spent:
        done, seconds = spent
        return seconds / done * (epochs - done)
    for other in study.cells(DONE, BEGUN):
        same = (other.data, other.contender.model) == (cell.data, cell.contender.model)
        if same and (spent := _epochs(study.out / other.name)):
            return spent[1] / spent[0] * epochs
    return None


def _epochs(run: Path) -> tuple[int, float] | None:
    """How many a run has behind it, and their seconds."""
    try:
        last = json.loads((run / "metrics.jsonl").read_bytes().splitlines()[-1])
        return int(last["epoch"]), float(last["seconds"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
