"""Records of an accuracy study as it would be, with made-up numbers."""

import pytest

from llt.bench.record import Record
from llt.bench.study_file import read_study
from llt.errors import LltError


def cell(model="llt", error=None, *, data="darcy", seed=0, tier=1, recipe="best", **more):
    """Done if it has an error, else open."""
    epochs = more.pop("epochs", {0: 5, 1: 20, 2: 50, 3: 200}[tier])
    about = {"data": data, "model": model, "seed": seed, "tier": tier}
    about |= {"recipe": recipe, "epochs": epochs, "label": "", "rate": 1.0}
    if error is None:
        return about | more
    found = {"test_error": error, "best_val_error": 1.1 * error, "worst": 3 * error}
    return about | found | {"parameters": 1_234_567, "memory_bytes": 2**30} | more


def diverged(model, epoch=3, **more):
    error = f"epoch {epoch}: the loss is nan; try a smaller train.lr"
    return cell(model, **more) | {"error": error}


def name_of(entry):
    words = [entry["data"], entry["model"], entry["recipe"], entry["epochs"]]
    words += [entry["label"]] if entry["label"] else []
    rate = entry["rate"]
    if rate != 1 or not entry["tier"]:
        words.append("rate-open" if rate is None else f"rate-{rate:g}")
    return "-".join([*map(str, words), f"seed-{entry['seed']}"])


def study(
    *entries, rates=(), rivals=(), unfit=(), unmatched=(), alone=None, device="a GPU", hashes=None
):
    """A record of these cells."""
    cells = {name_of(entry): entry for entry in entries}
    is_open = {n: e for n, e in cells.items() if "test_error" not in e and "error" not in e}
    results = {
        "cells": {name: entry for name, entry in cells.items() if name not in is_open},
        "open": is_open,
        "rates": [*rates],
        "rivals": [*rivals],
        "unfit": [*unfit],
        "unmatched": [*unmatched],
        "alone": alone or {},
    }
    data = {entry["data"]: {"hash": "0123456789abcdef"} for entry in entries}
    environment = {"commit": "0" * 12, "date": "2027-01-01", "device": device, "packages": {}}
    return Record(
        study="accuracy",
        title="Errors of all models",
        command="llt bench accuracy study.toml",
        environment=environment,
        data=data | {name: {"hash": found} for name, found in (hashes or {}).items()},
        results=results,
    )


def records(*found):
    return {f"accuracy/study-{number}": record for number, record in enumerate(found)}


def check_refused(path, message):
    """A study file, in one line that names it."""
    with pytest.raises(LltError, match=message) as caught:
        read_study(path)
    assert "study.toml" in str(caught.value) and "\n" not in str(caught.value)
