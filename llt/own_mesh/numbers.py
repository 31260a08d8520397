"""Case parameters of new cases: said by name, from a table, or from the files themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from llt.data.folder.cases import Case
from llt.data.folder.plan import Plan, stored_name
from llt.data.folder.table import Table, read_table
from llt.data.formats import Mesh
from llt.errors import ConfigError, DataError, unknown


@dataclass(frozen=True, kw_only=True, slots=True)
class Numbers:
    """Where the parameters of every case come from; what is said comes first."""

    plan: Plan
    said: Mapping[str, float] = field(default_factory=dict)
    table: Table | None = None

    def of(self, case: Case, mesh: Mesh) -> dict[str, float]:
        """All parameters of the problem, or an error that says which are missing."""
        row = {} if self.table is None else self.table.rows.get(case.name, {})
        there = {stored_name(name): value for name, value in {**mesh.case_fields, **row}.items()}
        there |= self.said
        parameters = self.plan.columns + self.plan.numbers
        missing = [one for one in parameters if not isfinite(there.get(one.name, float("nan")))]
        if missing:
            units = [f"{one.name} [{one.unit}]" if one.unit else one.name for one in missing]
            raise DataError(
                f"{case.where}: no value of {', '.join(units)}{self._lack(case.name)}; "
                f"pass --param {missing[0].name}=VALUE, or --params FILE with a row for {case.name}"
            )
        return {one.name: there[one.name] for one in parameters}

    def _lack(self, name: str) -> str:
        """What the table does not have."""
        if self.table is None:
            return ""
        lack = "such column" if name in self.table.rows else f"row {name!r}"
        return f"; {self.table.path} has no {lack}"


def find_numbers(
    plan: Plan, said: Mapping[str, float], table: Path | None, cases: Sequence[str]
) -> Numbers:
    """Check what is said against the plan, and the table's units against those of training."""
    names = [one.name for one in plan.columns + plan.numbers]
    for name in said:
        if name not in names:
            known = unknown("parameter", name, names) if names else "the model takes no parameters"
            raise ConfigError(f"--param {name}: {known}")
    if table is None or not names:
        return Numbers(plan=plan, said=said)
    found = read_table(table, cases)
    for one in plan.columns + plan.numbers:
        unit = found.units.get(one.name, "")
        if unit and one.unit and unit != one.unit:
            raise DataError(f"{table}: {one.name} is in {unit}, it was trained in {one.unit}")
    return Numbers(plan=plan, said=said, table=found)


def read_said(words: Sequence[str]) -> dict[str, float]:
    """From NAME=VALUE."""
    said = {}
    for word in words:
        name, equals, text = word.partition("=")
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not equals or not isfinite(value):
            raise ConfigError(f"--param {word}: expected NAME=VALUE with a number")
        said[name.strip()] = value
    return said
