"""Which cases of a folder are to be read, and by what plan."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from llt.data.folder.cases import Case, Found, find_cases
from llt.data.folder.choice import Choice
from llt.data.folder.decide import decide, find_table
from llt.data.folder.plan import Plan, stored_name
from llt.data.folder.survey import survey
from llt.data.folder.table import Table, read_table
from llt.errors import DataError

if TYPE_CHECKING:  # it brings torch along, which workers do not need
    from llt.data.dataset import Dataset

FEWEST = 3  # cases: one each to train, validate and test


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """A case to be read, with its numbers from the table."""

    case: Case
    fingerprint: str
    row: Mapping[str, float]

    @property
    def key(self) -> str:
        """Of its part."""
        text = json.dumps([self.fingerprint, *sorted(self.row.items())])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def plan_tasks(
    folder: Path,
    out: Path,
    choice: Choice,
    base: Dataset | None,
    tell: Callable[[str], None],
) -> tuple[Plan, list[Task], Sequence[str]]:
    """What becomes of the folder, and which cases are to be read."""
    known = {} if base is None else known_cases(base)
    plan = None if base is None else Plan.from_dict(base.provenance["plan"])
    files, steps = (choice.files, choice.steps) if plan is None else (plan.files, plan.steps)
    found = find_cases(folder, files=files or (), steps=steps, table=choice.table, leave=out)
    tell(f"{folder}: {len(found.cases)} cases")
    if found.others:
        more = f" and {len(found.others) - 5} more" if len(found.others) > 5 else ""
        tell(f"  not read    {', '.join(found.others[:5])}{more}")
    if plan is None:
        if len(found.cases) < FEWEST:
            raise DataError(f"{folder}: {len(found.cases)} cases, at least {FEWEST} are needed")
        seen = survey(found)
        plan, table = decide(seen, choice), find_table(seen, choice)
        if choice.outputs is None and seen.partly:
            tell(f"  left out    {', '.join(seen.partly)}: not in all cases")
    else:
        table = _table_again(folder, plan, choice, found)
    for title, line in plan.lines().items():
        tell(f"  {title:<12}{line}")
    if table is not None:
        names = [case.name for case in found.cases]
        table.check([name for name in names if name not in known], known=[*known, *names])
    return plan, _tasks(found, plan, table, known, out), found.others


def _table_again(folder: Path, plan: Plan, choice: Choice, found: Found) -> Table | None:
    if not plan.table:
        return None
    names = [case.name for case in found.cases]
    asked = plan.table if choice.table is None else choice.table
    inside = folder / asked
    table = read_table(inside if inside.is_file() else Path(asked), names)
    table.check_names([field.name for field in plan.columns])
    return table


def _tasks(
    found: Found, plan: Plan, table: Table | None, known: Mapping[str, str], out: Path
) -> list[Task]:
    """Cases that are not in the file yet; one that is there must not have changed."""
    tasks = []
    for case in found.cases:
        fingerprint = case.fingerprint()
        if known.get(case.name, fingerprint) != fingerprint:
            raise DataError(
                f"{case.where}: {out} has another case {case.name!r}; rename it to add it"
            )
        if case.name not in known:
            numbers = {} if table is None else table.rows[case.name]
            named = {stored_name(name): value for name, value in numbers.items()}
            row = {field.name: named[field.name] for field in plan.columns}
            tasks.append(Task(case=case, fingerprint=fingerprint, row=row))
    return tasks


def known_cases(data: Dataset) -> dict[str, str]:
    """Fingerprints of a dataset's cases by name."""
    columns = (data.records.get(name, np.empty(0, "S")) for name in ("name", "fingerprint"))
    return dict(zip(*([value.decode() for value in column] for column in columns), strict=True))
