"""What the small files of a run folder say; `training.run` tells which there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from llt.errors import CheckpointError
from llt.runtime.reading import read_json, reading

CURVE = ("epoch", "train_loss", "val_error", "seconds")  # of every epoch


def read_data_record(run: Path) -> dict[str, Any]:
    """The dataset of a run: its path, hash and problem."""
    path = run / "data.json"
    record = read_json(path, CheckpointError)
    for name in ("path", "hash", "problem"):
        value = record.get(name)
        if not isinstance(value, str) or not value.isprintable():
            raise CheckpointError(f"{path}: {name} is {value!r}, expected text")
    return record


def read_environment(run: Path) -> dict[str, Any]:
    """Versions, device and commit."""
    path = run / "env.json"
    found = read_json(path, CheckpointError)
    missing = {"llt", "commit", "date", "device", "cpu", "cores", "packages"} - found.keys()
    if missing or not isinstance(found["packages"], dict):
        raise CheckpointError(f"{path}: damaged: no {', '.join(sorted(missing)) or 'packages'}")
    return found


def read_metrics(run: Path) -> list[dict[str, Any]]:
    """What every epoch has left."""
    path = run / "metrics.jsonl"
    with reading(path, CheckpointError):
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        for number, row in enumerate(rows, start=1):
            for name in CURVE:
                if type(row[name]) not in (int, float):
                    raise CheckpointError(f"line {number}: {name} is {row[name]!r}")
        if not rows:
            raise CheckpointError("holds no epoch")
        return rows
