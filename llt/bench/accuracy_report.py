"""How far the accuracy study is: what is done, what is left to train, and what is open."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from llt.bench.accuracy import BEGUN, LEFT, WAITING, AccuracyStudy
from llt.bench.matched import no_size
from llt.bench.race_report import duration
from llt.bench.study_cell import Cell
from llt.bench.study_training import DONE, FAILED


@dataclass(frozen=True, slots=True)
class Pace:
    epochs: int
    seconds: float  # of these
    other: float = 0.0  # seconds of a cell before its first step and after its last


def progress(study: AccuracyStudy, jobs: int) -> str:
    """What is done, what is left and how long it will take, in one line."""
    states = {cell.name: study.state(cell) for cell in study.file.cells}
    counts = Counter(states[cell.name] for cell in study.file.cells if cell.data in study.only)
    text = ", ".join(f"{counts[s]} {s}" for s in (DONE, FAILED, BEGUN, LEFT, WAITING) if counts[s])
    times = _seconds_ahead(study, states)
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
    if number := len(study.untimed()):
        lines.append(f"steps to be timed alone on the device after the trainings: {number}")
    return lines


def _seconds_ahead(study: AccuracyStudy, states: Mapping[str, str]) -> list[float | None]:
    """Of every cell to do, from what others like it have taken, anywhere; None: nobody knows."""
    paces: dict[tuple[str, ...], Pace] = {}
    for state in (BEGUN, DONE):  # what is done knows more
        for cell in (cell for cell in study.file.cells if states[cell.name] == state):
            pace = _begun(study.out / cell.name) if state == BEGUN else _done(study, cell)
            paces |= dict.fromkeys(_kinds(cell), pace) if pace else {}
    found: list[float | None] = []
    for cell in study.ahead():
        pace = next((paces[kind] for kind in _kinds(cell) if kind in paces), None)
        behind = _begun(study.out / cell.name)
        epochs = cell.contender.train.epochs - (behind.epochs if behind else 0)
        found.append(None if pace is None else pace.seconds / pace.epochs * epochs + pace.other)
    return found


def _kinds(cell: Cell) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Cells that take as long by epoch, and those that take nearly as long."""
    made = cell.contender
    some = cell.data, made.model
    return (*some, made.recipe or "", cell.label), some


def _done(study: AccuracyStudy, cell: Cell) -> Pace | None:
    found = study.found(cell.name)
    if not found or "training_seconds" not in found:
        return None
    return Pace(found["epochs"], found["training_seconds"], found.get("overhead_seconds", 0.0))


def _begun(run: Path) -> Pace | None:
    """What a run has behind it."""
    try:
        last = json.loads((run / "metrics.jsonl").read_bytes().splitlines()[-1])
        return Pace(int(last["epoch"]), float(last["seconds"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None
