"""What is a case in a folder: a file, or a subfolder with the files or time steps of one.

Names are those of files without their suffix, or of subfolders, sorted as people count: c2 before
c10. Nothing is passed over in silence: what no reader takes is listed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import groupby
from pathlib import Path

from llt.data.folder.table import is_table
from llt.data.formats import is_readable, stacked
from llt.errors import ConfigError, DataError

NUMBERED = re.compile(r"(.*?)[_\-.]?(\d+(?:\.\d+)?)")
ENDS = 2**16  # bytes at both ends of a file by which it is told from others


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One simulation."""

    name: str
    files: tuple[Path, ...]  # one, or several with the same points
    moments: tuple[float, ...] = ()  # of the files, where each is a time step
    row: int | None = None  # in a file of stacked arrays

    @property
    def where(self) -> str:
        place = str(self.files[0] if len(self.files) == 1 else self.files[0].parent)
        return place if self.row is None else f"{place}, case {self.row}"

    def fingerprint(self) -> str:
        """By which it is told whether a case has changed: names, sizes and ends of its files."""
        digest = hashlib.sha256(self.name.encode())
        for path in self.files:
            inner = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
            for file in inner:
                name, size = file.relative_to(path.parent), file.stat().st_size
                digest.update(f"\n{name} {size}\n".encode())
                digest.update(_ends(file, size))
        return digest.hexdigest()[:16]


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """All that is in a folder."""

    folder: Path
    cases: tuple[Case, ...]
    tables: tuple[Path, ...]  # of case parameters, perhaps
    others: tuple[str, ...]  # what no reader takes, or --files leaves out


def find_cases(
    folder: Path,
    *,
    files: Sequence[str] = (),
    steps: bool | None = None,
    table: str | None = None,
    leave: Path | None = None,
) -> Found:
    """The cases in a folder, at least one; or in a file of stacked arrays.

    Args:
        files: patterns of names, as "*.vtu"; others are left out.
        steps: whether files as a_1, a_2, b_1, b_2 are time steps; else each is a case.
        table: a file that holds parameters, whatever it looks like; by its name in the folder.
        leave: a dataset file that is being made, perhaps in this folder, and what is beside it.
    """
    if stacked.is_stacked(folder):
        return _found(folder, _rows(folder), [], [])
    if not folder.is_dir():
        raise DataError(f"{folder}: {'not a folder' if folder.exists() else 'no such folder'}")
    leave = leave and leave.resolve()
    if is_readable(folder):
        return _found(folder, [Case(name=folder.resolve().name, files=(folder,))], [], [])
    single, cases, tables, others = [], list[Case](), list[Path](), list[Path]()
    for path in sorted(_visible(folder), key=lambda p: natural(p.name)):
        if leave is not None and path.resolve() in (leave, leave.with_name(f"{leave.name}.parts")):
            continue
        if path.is_file() and (_same(path, table) or is_table(path)):
            tables.append(path)
        elif path.is_dir() and not is_readable(path):
            inner, rest = _subfolder(path, files)
            cases += inner
            others += rest
        elif is_readable(path) and (path.is_dir() or _wanted(path, files)):
            single.append(path)
        else:
            others.append(path)
    cases += _single(folder, single, steps)
    return _found(folder, cases, tables, others)


def natural(name: str) -> list[tuple[int, int, str]]:
    """The order in which people count: c2 before c10."""
    return [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in re.split(r"(\d+)", name) if p]


def _found(folder: Path, cases: list[Case], tables: list[Path], others: Iterable[Path]) -> Found:
    named = tuple(str(path.relative_to(folder)) for path in others)
    if not cases:
        there = f"; it holds {', '.join(named[:3])}" if named else "; it is empty"
        raise DataError(f"{folder}: no case that can be read{there}")
    cases.sort(key=lambda case: natural(case.name))
    for name, group in groupby(cases, key=lambda case: case.name):
        same = [case.where for case in group]
        if len(same) > 1:
            raise DataError(
                f"{folder}: two cases are called {name!r}: {same[0]} and {same[1]}; rename one, "
                "or choose with --files, as in --files '*.vtu'"
            )
    return Found(folder=folder, cases=tuple(cases), tables=tuple(tables), others=named)


def _rows(path: Path) -> list[Case]:
    """Those of a file of stacked arrays."""
    return [
        Case(name=f"{path.stem}_{row}", files=(path,), row=row)
        for row in range(stacked.num_cases(path))
    ]


def _same(path: Path, table: str | None) -> bool:
    return table is not None and (path.name == table or path.resolve() == Path(table).resolve())


def _visible(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def _wanted(path: Path, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatch(path.name, pattern) for pattern in patterns)


def _single(folder: Path, paths: list[Path], steps: bool | None) -> list[Case]:
    """Files beside each other: a case each, unless they are steps of several."""
    series = _series([path for path in paths if path.is_file()])
    lengths = {len(group) for group in series.values()}
    if steps is None and len(series) > 1 and len(lengths) == 1 and lengths != {1}:
        first = next(iter(series.values()))
        raise ConfigError(
            f"{folder}: {first[0][1].name} and {first[1][1].name} may be two time steps of one "
            "case or two cases; pass --steps or --no-steps"
        )
    if not steps:
        return [Case(name=p.name if p.is_dir() else p.stem, files=(p,)) for p in paths]
    alone = [path for path in paths if path.is_dir() or path not in _members(series)]
    return [
        *(Case(name=stem, files=files, moments=moments) for stem, files, moments in _runs(series)),
        *(Case(name=path.stem, files=(path,)) for path in alone),
    ]


Series = dict[str, list[tuple[float, Path]]]


def _series(paths: list[Path]) -> Series:
    """Files whose names differ by a number at their end, by what comes before it."""
    found: Series = {}
    for path in paths:
        matched = NUMBERED.fullmatch(path.stem)
        if matched and matched[1]:
            found.setdefault(matched[1], []).append((float(matched[2]), path))
    return {stem: sorted(group) for stem, group in found.items()}


def _members(series: Series) -> set[Path]:
    return {path for group in series.values() for _, path in group}


def _runs(series: Series) -> list[tuple[str, tuple[Path, ...], tuple[float, ...]]]:
    return [
        (stem, tuple(path for _, path in group), tuple(moment for moment, _ in group))
        for stem, group in series.items()
    ]


def _subfolder(folder: Path, patterns: Sequence[str]) -> tuple[list[Case], list[Path]]:
    """The case in a subfolder, and what is in it besides."""
    inside = sorted(_visible(folder), key=lambda p: natural(p.name))
    files = [path for path in inside if is_readable(path) and _wanted(path, patterns)]
    others = [path for path in inside if path not in files]
    if not files:
        return [], [folder]
    series = _series(files)
    if len(files) > 1 and len(series) == 1 and len(_members(series)) == len(files):
        _, steps, moments = _runs(series)[0]
        return [Case(name=folder.name, files=steps, moments=moments)], others
    return [Case(name=folder.name, files=tuple(files))], others


def _ends(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        first = file.read(ENDS)
        file.seek(max(len(first), size - ENDS))
        return first + file.read(ENDS)
