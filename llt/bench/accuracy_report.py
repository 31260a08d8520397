"""How far the accuracy study is: what is done, what is left to train, and what is open."""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby
from pathlib import Path

from llt.bench.accuracy import BEGUN, DONE, FAILED, LEFT, WAITING, AccuracyStudy
from llt.bench.matched import no_size
from llt.bench.race_report import duration
from llt.bench.study_cell import Cell


def progress(study: AccuracyStudy, jobs: int) -> str:
    """What is done, what is left and how long it will take, in one line."""
    states = Counter(study.state(cell) for cell in study.file.cells if cell.data in study.only)
    text = ", ".join(f"{states[s]} {s}" for s in (DONE, FAILED, BEGUN, LEFT, WAITING) if states[s])
    times = [seconds_left(study, cell) for cell in study.ahead()]
    known = [seconds for seconds in times if seconds is not None]
    if not times:
        return text
    unknown = len(times) - len(known)
    about = f"about {duration(sum(known) / jobs)} to go" if known else "no time known yet"
    more = f", {unknown} of an unknown length" if known and unknown else ""
    return f"{text}; {about}{more}"


def open_ends(study: AccuracyStudy) -> list[str]:
    """A line for everything that keeps cells from being trained now."""
    lines = [
        f"{study.file.data[name].path} is not here; cells of {name} that stay open: {len(cells)}"
        for name, cells in study.missing().items()
    ]
    for problem, rates in groupby(study.file.open_rates, key=lambda entry: entry.data):
        away = "" if problem in study.only else "; --only leaves it to other runs"
        number = len({entry.model for entry in rates})
        lines.append(
            f"rates are open until tier 0 of {problem} is finished: models: {number}{away}"
        )
    unmatched = (no_size(model, problem) for problem, model in study.file.unmatched)
    lines += [f"{text}; it is left out there" for text in unmatched]
    for tier, group in groupby(study.file.waiting, key=lambda entry: entry.tier):
        names = ", ".join(f"{entry.number} on {entry.data}" for entry in group)
        lines.append(f"rivals of tier {tier} are open until tier {tier - 1} is finished: {names}")
    return lines


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
