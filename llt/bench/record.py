"""Records: what was measured, how, where and on which data. One schema for every published number.

A record is a JSON file `benchmarks/studies/STUDY/NAME.json`; its id is STUDY/NAME. Records of
versions that were left behind stay in `benchmarks/archive` for the documents that refer to them.
"""

from __future__ import annotations

import shlex
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llt.errors import DataError
from llt.evaluation.kept import kept_evaluation
from llt.runtime.files import write_json
from llt.runtime.reading import read_json
from llt.training.folder import read_data_record, read_environment, read_metrics

if TYPE_CHECKING:
    import torch

SCHEMA, VERSION = "llt-record", 1
ARCHIVE = "archive"


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    study: str
    title: str  # one line: what was measured
    command: str  # as it was typed at the environment's commit
    environment: Mapping[str, Any]  # commit, date, device, versions
    data: Mapping[str, Any] = field(default_factory=dict)  # hash, splits, provenance
    settings: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, Any]
    note: str = ""  # what a reader has to know besides

    def to_dict(self) -> dict[str, Any]:
        return {"schema": SCHEMA, "version": VERSION, **asdict(self)}


Records = Mapping[str, Record]  # by id


def new_record(
    study: str,
    title: str,
    device: torch.device,
    results: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> Record:
    """A record of what this process measures."""
    from llt.runtime.environment import environment

    return Record(
        study=study,
        title=title,
        command=shlex.join(["llt", *sys.argv[1:]]),
        environment=environment(device),
        settings=settings,
        results=results,
    )


def record_run(run: Path, title: str, command: str) -> Record:
    """A run folder that has been evaluated: its settings, its curve thinned out, its errors."""

    evaluation = kept_evaluation(run)
    if evaluation is None:
        raise DataError(f"{run}: no evaluation.json; train and evaluate the run first")
    data, metrics = read_data_record(run), read_metrics(run)
    every = max(1, len(metrics) // 20)
    return Record(
        study="accuracy",
        title=title,
        command=command,
        environment=read_environment(run),
        data={name: value for name, value in data.items() if name != "path"},
        settings=tomllib.loads((run / "config.toml").read_text()),
        results={
            "evaluation": {**evaluation.to_dict(), "error_maps": None},  # pictures, no results
            "training_seconds": metrics[-1]["seconds"],
            "metrics": [*metrics[:-1:every], metrics[-1]],
        },
    )


def write_record(path: Path, record: Record) -> None:
    write_json(path, record.to_dict())


def read_record(path: Path) -> Record:
    """A record in its place, the folder of its study."""
    record = load_record(path)
    if path.parent.name not in (record.study, ARCHIVE):
        raise DataError(f"{path}: study {record.study} is not the folder {path.parent.name}")
    return record


def load_record(path: Path) -> Record:
    """A record wherever it lies."""
    content = read_json(path)
    head = (content.pop("schema", None), content.pop("version", None))
    if head != (SCHEMA, VERSION):
        raise DataError(f"{path}: schema {head} is not {(SCHEMA, VERSION)}")
    names = {entry.name for entry in fields(Record)}
    if content.keys() != names:
        wrong = ", ".join(sorted(content.keys() ^ names))
        raise DataError(f"{path}: missing or unknown: {wrong}")
    record = Record(**content)
    for name in ("study", "title", "command"):
        if not isinstance(content[name], str) or not content[name].strip():
            raise DataError(f"{path}: {name} {content[name]!r} must be a line of text")
    for name in ("environment", "data", "settings", "results"):
        if not isinstance(content[name], dict):
            raise DataError(f"{path}: {name} is {content[name]!r}, expected an object {{...}}")
    missing = {"commit", "date", "device", "packages"} - record.environment.keys()
    if missing:
        raise DataError(f"{path}: environment has no {', '.join(sorted(missing))}")
    return record


def read_records(folder: Path) -> dict[str, Record]:
    """All records below benchmarks/, by id; studies first, then the archive."""
    paths = [*sorted(folder.glob("studies/*/*.json")), *sorted(folder.glob(f"{ARCHIVE}/*.json"))]
    if not paths:
        raise DataError(f"{folder}: no records; give the folder benchmarks/ of the repository")
    return {f"{path.parent.name}/{path.stem}": read_record(path) for path in paths}
