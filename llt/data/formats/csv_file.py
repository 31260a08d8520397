"""Point clouds as CSV: a header, then a line for every point.

Columns x, y (and z) are coordinates, also as Points:0 ... of ParaView or x-coordinate of Fluent;
all others are fields, `p [Pa]` with its unit, U:0, U:1, U:2 as one vector.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from llt.data.formats.mesh import Array, Mesh, check_lengths, check_points
from llt.errors import DataError
from llt.runtime.files import replacing
from llt.runtime.reading import check_file, reading

SEPARATORS = (",", ";", "\t")
UNIT = re.compile(r"(.*?)\s*[\[(]([^\])]*)[\])]")
COMPONENT = re.compile(r"(.+):([0-9])")
AXES = {
    "x": 0, "y": 1, "z": 2,
    "points:0": 0, "points:1": 1, "points:2": 2,
    "x-coordinate": 0, "y-coordinate": 1, "z-coordinate": 2,
}  # fmt: skip
LONGEST = 2**20  # bytes of a header


@dataclass(frozen=True, slots=True)
class Header:
    separator: str
    names: tuple[str, ...]
    units: Mapping[str, str]


def read(path: Path) -> Mesh:
    check_file(path)
    with reading(path):
        header = _read_header(path)
        if not _num_lines(path):
            raise DataError("no lines below its header")
        values = np.loadtxt(
            path, delimiter=header.separator, skiprows=1, ndmin=2, comments=None, encoding="utf-8"
        )
        if values.shape[1] != len(header.names):
            raise DataError(f"{values.shape[1]} numbers a line, {len(header.names)} names above")
        points, fields = _sort(header, values)
        return Mesh(points=check_points(points), point_fields=fields, units=header.units)


def write_like(source: Path, out: Path, fields: Mapping[str, Array]) -> None:
    """The lines of a file with new columns at their ends."""
    with reading(source):
        header, num = _read_header(source), _num_lines(source)
    check_lengths(fields, num, "points")
    names, columns = [], []
    for name, value in fields.items():
        table = value.reshape(len(value), -1)
        wide = value.ndim > 1
        names += [f"{name}:{i}" if wide else name for i in range(table.shape[1])]
        columns += [*table.T]
    with (
        replacing(out) as beside,
        source.open(encoding="utf-8-sig") as lines,
        beside.open("w", encoding="utf-8") as file,
    ):
        join = header.separator.join
        file.write(join([next(lines).rstrip("\r\n"), *names]) + "\n")
        full = (line.rstrip("\r\n") for line in lines if line.strip())
        for line, *numbers in zip(full, *columns, strict=True):
            file.write(join([line, *(f"{number:.9g}" for number in numbers)]) + "\n")


def _read_header(path: Path) -> Header:
    with path.open(encoding="utf-8-sig") as file:
        line = file.readline(LONGEST).strip()
    separator = max(SEPARATORS, key=line.count)
    words = [word.strip().strip('"').strip() for word in line.split(separator)]
    if any(map(_is_number, words)) or "" in words:
        raise DataError(f"its first line is no header of names, as x,y,p [Pa]: {line[:60]!r}")
    names, units = [], {}
    for word in words:
        found = UNIT.fullmatch(word)
        names.append(found[1] if found and found[1] else word)
        if found and found[1] and found[2]:
            units[found[1]] = found[2]
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"two columns are named {twice!r}")
    return Header(separator, tuple(names), units)


def _sort(header: Header, values: Array) -> tuple[Array, dict[str, Array]]:
    """Coordinates and fields among the columns."""
    axes = {AXES[name.lower()]: i for i, name in enumerate(header.names) if name.lower() in AXES}
    if len(axes) < 2:
        raise DataError(f"needs columns x and y (and z); there are {', '.join(header.names)}")
    fields = dict(_fields(header.names, values))
    return values[:, [axes[axis] for axis in sorted(axes)]], fields


def _fields(names: tuple[str, ...], values: Array) -> Iterator[tuple[str, Array]]:
    """Columns by name; those of a vector together, where all its components are there."""
    vectors: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        if name.lower() in AXES:
            continue
        found = COMPONENT.fullmatch(name)
        if found is None:
            yield name, values[:, i]
        elif int(found[2]) == len(vectors.setdefault(found[1], [])):
            vectors[found[1]].append(i)
        else:
            raise DataError(f"column {name!r}: components are to be numbered from 0, in order")
    for name, columns in vectors.items():
        yield name, values[:, columns]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _num_lines(path: Path) -> int:
    """Of points."""
    with path.open(encoding="utf-8-sig") as file:
        file.readline(LONGEST)
        return sum(bool(line.strip()) for line in file)
