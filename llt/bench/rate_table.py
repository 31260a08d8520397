"""The choice of learning rates in a table: validation errors of every model with every rate."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from llt.bench.figures import TITLES
from llt.bench.markdown import Lines, markdown
from llt.bench.record import Records
from llt.bench.study_entries import place
from llt.bench.study_results import Results, study_results

NONE_YET = ["No rate has been chosen yet."]
Table = tuple[list[str], list[tuple[str, ...]]]  # titles and rows


def rates(records: Records) -> Lines:
    results = study_results(records)
    return markdown(*rate_table(results)) if any_tried(results) else NONE_YET


def any_tried(results: Results) -> bool:
    return any(cell["tier"] == 0 for cell in results["cells"].values())


def rate_table(results: Results) -> Table:
    """A row for every model and mesh, a column for every factor."""
    trials = [c for c in (*results["cells"].values(), *results["open"].values()) if not c["tier"]]
    factors = sorted({cell["rate"] for cell in trials})
    chosen = sorted(results["rates"], key=lambda entry: (place(entry["data"]), entry["recipe"]))
    rows = []
    for entry in chosen:
        found = [cell for cell in trials if _key(cell) == _key(entry)]
        texts = (_text([cell for cell in found if cell["rate"] == factor]) for factor in factors)
        choice = "open" if entry["factor"] is None else f"{entry['factor']:g}"
        if found and all("error" in cell for cell in found):
            choice += ", as all diverged"
        about = f"{entry['data'].capitalize()}, {entry['recipe']}"
        rows.append((TITLES[entry["model"]], about, *texts, choice))
    return ["model", "tried on", *(f"{factor:g} times" for factor in factors), "chosen"], rows


def _text(seeds: list[Mapping[str, Any]]) -> str:
    if any("error" in seed for seed in seeds):
        return "diverged"
    errors = [seed.get("best_val_error") for seed in seeds]
    known = [error for error in errors if error is not None]
    if len(known) < len(errors):
        return "open"
    return f"{fmean(known):.5f}" if known else ""


def _key(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    return entry["data"], entry["recipe"], entry["model"]
