"""The results of an accuracy study, put together from the records of any number of runs.

cells     what is done or has failed, by name; one record or another has it, or all have the same
open      what is not, with what is to be trained
rates     what a model's learning rates are multiplied with on meshes like those of `data`; the
          `factor` is None as long as that is open
rivals    which models go on to a tier on a problem; `models` is None as long as that is open
unfit     problems and models that are not for such meshes
unmatched problems and rivals that have no size near LLT's
alone     seconds of all steps of a training that has the device for itself, by the cells' name
          without the seed; all of one device
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from llt.bench.record import Record, Records
from llt.bench.study_agreement import RATES, RIVALS, agreed
from llt.errors import DataError, unknown
from llt.models import MODELS

PREFIX = "accuracy/study-"  # of the ids of its records
Cell = Mapping[str, Any]
PARTS = ("data", "model", "seed", "tier", "recipe", "epochs", "label")  # of what a cell is
Results = dict[str, Any]


def study_results(records: Records) -> Results:
    """Of all records of the study among these."""
    return merge({name: found for name, found in records.items() if name.startswith(PREFIX)})


def merge(records: Records, hashes: Mapping[str, str] | None = None) -> Results:
    """Refuses records that contradict each other, or these hashes of the data."""
    data = {name: (found, "the study") for name, found in (hashes or {}).items()}
    cells: dict[str, tuple[dict[str, Any], str]] = {}
    for where, record in records.items():
        for name, cell in record.results["cells"].items():
            if cell["model"] not in MODELS:
                raise DataError(f"{where}: cell {name}: {unknown('model', cell['model'], MODELS)}")
            _check_data(where, record, cell["data"], data)
            _check_same(name, cell, where, *cells.setdefault(name, (cell, where)))
    results = [record.results for record in records.values()]
    is_open = {name: cell for found in results for name, cell in found["open"].items()}
    found = {
        "cells": {name: cell for name, (cell, _) in cells.items()},
        "open": {name: cell for name, cell in is_open.items() if name not in cells},
        "rates": agreed(records, RATES),
        "rivals": agreed(records, RIVALS),
        "unfit": [pair for found in results for pair in found["unfit"]],
        # older records have none
        "unmatched": [pair for found in results for pair in found.get("unmatched", ())],
        "alone": _alone(records.values()),
    }
    return counted(found)


def counted(results: Results) -> Results:
    """Of a training that is there with several rates, the one that counts.

    That is the chosen rate before the recipe's, with which some were trained before there was a
    choice, and both before a rate that was open when some record was written.
    """
    names = "cells", "open"
    most: dict[tuple[Any, ...], int] = {}
    for cell in (cell for name in names for cell in results[name].values()):
        most[_training(cell)] = max(_weight(cell), most.get(_training(cell), 0))
    return results | {
        name: {n: c for n, c in results[name].items() if _weight(c) == most[_training(c)]}
        for name in names
    }


def _training(cell: Cell) -> tuple[Any, ...]:
    """Whatever its rate; in tier 0 all of them count."""
    return (*(cell[part] for part in PARTS), None if cell["tier"] else cell["rate"])


def _weight(cell: Cell) -> int:
    rate = cell.get("rate", 1.0)  # older records have none
    return 0 if rate is None else 1 if rate == 1 else 2


def _check_data(where: str, record: Record, name: str, known: dict[str, tuple[str, str]]) -> None:
    found = record.data[name]["hash"]
    right, place = known.setdefault(name, (found, where))
    if found != right:
        raise DataError(
            f"{where}: its {name} is the data {found}, that of {place} is {right}; "
            "records of one study are of the same data"
        )


def _check_same(
    name: str, cell: dict[str, Any], where: str, first: dict[str, Any], place: str
) -> None:
    keys = ("test_error", "error", *first, *cell)  # what people look at comes first
    # as texts, in which a validation error that is no number equals itself
    wrong = [key for key in keys if json.dumps(first.get(key)) != json.dumps(cell.get(key))]
    if wrong:
        key = wrong[0]
        raise DataError(
            f"{where}: cell {name} has {key} {cell.get(key)!r:.80}, in {place} it is "
            f"{first.get(key)!r:.80}; take it out of one of them"
        )


def _alone(records: Iterable[Record]) -> dict[str, float]:
    """Seconds on the device that has most of them: those of two devices say nothing together."""
    devices: dict[str, dict[str, float]] = {}
    for record in records:
        devices.setdefault(record.environment["device"], {}).update(record.results["alone"])
    return max(devices.values(), key=len, default={})
