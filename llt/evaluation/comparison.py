"""Two finished runs on the same cases, or one line on why they cannot be compared."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from llt.errors import ConfigError
from llt.evaluation.finished import FinishedRun
from llt.evaluation.paired import Paired, compare


@dataclass(frozen=True)
class Comparison:
    """Checked: both were evaluated on the same samples, at the same points and times."""

    first: FinishedRun
    second: FinishedRun

    def __post_init__(self) -> None:
        for why in _differences(self.first, self.second):
            raise ConfigError(
                f"{self.first.folder} and {self.second.folder} cannot stand side by side: {why}"
            )

    @property
    def runs(self) -> tuple[FinishedRun, FinishedRun]:
        return self.first, self.second

    @property
    def names(self) -> tuple[str, str]:
        """As short as tells them apart."""
        one, other = (run.folder for run in self.runs)
        same = one.name == other.name or not (one.name and other.name)
        return (str(one), str(other)) if same else (one.name, other.name)

    @cached_property
    def errors(self) -> dict[str, Paired]:
        """Of all fields together, and of each where there are several."""
        one, other = (run.evaluation for run in self.runs)
        found = {"all fields": compare(one.per_sample, other.per_sample)}
        names = [name for name in one.field_errors if name in other.field_errors]
        if len(names) < 2:
            return {names[0] if names else "error": found["all fields"]}
        of_fields = {
            name: compare(one.field_errors[name], other.field_errors[name]) for name in names
        }
        return of_fields | found

    @property
    def whole(self) -> Paired:
        """Of all fields together."""
        return [*self.errors.values()][-1]

    def settings(self) -> Iterator[tuple[str, str, str]]:
        """Those that differ: name, of the first, of the second."""
        one, other = (dict(_flat(tomllib.loads(run.config))) for run in self.runs)
        for name in [*one, *(name for name in other if name not in one)]:
            pair = one.get(name), other.get(name)
            if pair[0] != pair[1]:
                yield name, _spelled(pair[0]), _spelled(pair[1])


def _differences(one: FinishedRun, other: FinishedRun) -> Iterator[str]:
    """What must be the same for errors to be comparable, and is not."""
    cases = [run.surrogate.cases.describe() for run in (one, other)]
    if one.surrogate.cases.signature != other.surrogate.cases.signature:
        yield f"they solve different problems, {cases[0]} and {cases[1]}"
    pairs = {
        "trained on different data, of hash": "data_hash",
        "their data are split differently, by hash": "split_hash",
        "evaluated on different splits,": "split",
        "evaluated on different samples of the data,": "indices",
    }
    for words, name in pairs.items():
        values = [getattr(run.evaluation, name) for run in (one, other)]
        if values[0] != values[1]:
            told = [f"{len(v)} of them" if isinstance(v, list) else v for v in values]
            yield f"{words} {told[0]} and {told[1]}"
    if one.data.problem.grid != other.data.problem.grid:
        yield f"they are of different grids, {cases[0]} and {cases[1]}"
    times = [[row["t"] for row in run.evaluation.times] for run in (one, other)]
    if times[0] != times[1]:
        yield (
            f"their errors are of different times, {len(times[0])} and {len(times[1])} of them, "
            "as those of rollouts and of single times are"
        )


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _spelled(value: Any) -> str:
    """As in a settings file."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value)
