"""Case parameters in a table: a CSV file whose first column names the case, or tables of TOML.

case, speed [m/s], angle          [c1]
c1, 10.0, 0.1                     speed = 10.0
c2, 12.0, 0.2                     angle = 0.1
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from llt.errors import ConfigError, DataError, unknown
from llt.runtime.reading import check_file, read_toml_file, reading

UNIT = re.compile(r"(.*?)\s*\[(.*)\]")
AXES = ("x", "y", "points:0", "x-coordinate")
CASE = ("case", "name", "id", "sample", "run", "file", "filename")
MOST = 2**26  # bytes of a table


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Numbers of cases by name."""

    path: Path
    names: tuple[str, ...]  # of columns in which every case has a number
    units: Mapping[str, str]
    rows: Mapping[str, Mapping[str, float]]
    words: tuple[str, ...] = ()  # columns that hold something else than numbers

    def check(self, cases: Iterable[str], *, known: Iterable[str] = ()) -> None:
        """Every case has a row, and every row a case: one in the folder, or known otherwise."""
        there = [*cases]
        for name in there:
            if name not in self.rows:
                raise DataError(f"{self.path}: no row for case {name!r}")
        extra = [name for name in self.rows if name not in {*there, *known}]
        if extra:
            raise DataError(f"{self.path}: row {extra[0]!r} names no case of the folder")

    def check_names(self, names: Sequence[str]) -> None:
        for name in names:
            if name in self.words:
                raise DataError(f"{self.path}: column {name!r} holds words, expected numbers")
            if name not in self.names:
                raise ConfigError(f"{self.path}: {unknown('parameter', name, self.names)}")


def is_table(path: Path) -> bool:
    """Whether a file looks like a table of parameters, rather than like a case."""
    if path.suffix == ".toml":
        try:
            content = read_toml_file(path)
        except ConfigError:
            return False
        return bool(content) and all(isinstance(row, dict) for row in content.values())
    if path.suffix != ".csv":
        return False
    try:
        with path.open(encoding="utf-8-sig") as file:
            names = [name.strip().lower() for name in next(csv.reader([file.readline(MOST)]), [""])]
    except (OSError, UnicodeDecodeError, csv.Error):
        return False  # whoever reads it as a case says what is wrong
    plain = [UNIT.sub(r"\1", name) for name in names]
    return plain[0] in CASE or not any(axis in plain for axis in AXES)


def read_table(path: Path, cases: Iterable[str] = ()) -> Table:
    """All numbers of a table; a case may be named with its suffix, as c1.vtu."""
    check_file(path)
    with reading(path):
        if path.stat().st_size > MOST:
            raise DataError(f"larger than {MOST >> 20} MiB")
        rows, units = _toml_rows(path) if path.suffix == ".toml" else _csv_rows(path)
        if not rows:
            raise DataError("no rows")
    known, named = {*cases}, dict[str, dict[str, object]]()
    for name, row in rows:
        short = name if name in known else Path(name).stem if Path(name).stem in known else name
        if short in named:
            raise DataError(f"{path}: two rows for case {short!r}")
        named[short] = row
    return _table(path, named, units)


def _table(path: Path, rows: dict[str, dict[str, object]], units: dict[str, str]) -> Table:
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    words = []
    for column in columns:
        values = [(case, row.get(column, "")) for case, row in rows.items()]
        numbers = [isinstance(value, float) for _, value in values]
        if not any(numbers):
            words.append(column)
            continue
        for case, value in values:
            if not isinstance(value, float) or not isfinite(value):
                got = f"{value}" if value != "" else "nothing"
                raise DataError(
                    f"{path}: {column!r} of case {case!r} is {got}, expected a number as the others"
                )
    names = tuple(column for column in columns if column not in words)
    numbers_only = {
        case: {name: float(str(row[name])) for name in names} for case, row in rows.items()
    }
    return Table(path=path, names=names, units=units, rows=numbers_only, words=tuple(words))


Rows = list[tuple[str, dict[str, object]]]


def _csv_rows(path: Path) -> tuple[Rows, dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        separator = max(",;\t", key=first.count)
        lines = [
            line for line in csv.reader(file, delimiter=separator) if any(map(str.strip, line))
        ]
    titles, units = [], {}
    for title in lines[0][1:] if lines else []:
        matched = UNIT.fullmatch(title.strip())
        titles.append(matched[1] if matched else title.strip())
        if matched:
            units[matched[1]] = matched[2].strip()
    if not titles or len({*titles}) < len(titles) or "" in titles:
        raise DataError("expected a first line of names that differ: the case, then its numbers")
    rows: Rows = []
    for number, (case, *values) in enumerate(lines[1:], start=2):
        if len(values) != len(titles):
            raise DataError(f"line {number} has {len(values) + 1} entries, not {len(titles) + 1}")
        rows.append((case.strip(), dict(zip(titles, map(_value, values), strict=True))))
    return rows, units


def _toml_rows(path: Path) -> tuple[Rows, dict[str, str]]:
    rows: Rows = []
    for case, row in read_toml_file(path).items():
        if not isinstance(row, dict):
            raise DataError(f"{case} is no table; expected [CASE] with numbers by name")
        rows.append((case, {name: _value(value) for name, value in row.items()}))
    return rows, {}


def _value(value: object) -> object:
    """A number where it is one; else as it is."""
    if isinstance(value, bool):
        return float(value)
    try:
        return float(value) if isinstance(value, str | int | float) else value
    except ValueError:
        return str(value).strip()
