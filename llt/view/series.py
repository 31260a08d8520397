"""Files as cases: one with its own times, or a .pvd that names a file for each, as predict writes.

A .pvd names nothing outside of its own folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Protocol
from xml.etree import ElementTree

from llt.data.formats import Drawing, draw, is_readable, times
from llt.errors import DataError
from llt.runtime.reading import reading

PVD = ".pvd"
MOST_BYTES = 2**24


class Source(Protocol):
    """A case in one file or several."""

    @property
    def label(self) -> str: ...

    @property
    def times(self) -> list[float] | None: ...

    def draw(self, moment: int | None) -> Drawing:
        """At one of its times, by number."""
        ...


class OneFile:
    def __init__(self, path: Path) -> None:
        self.path, self.label = path, path.name

    @cached_property
    def times(self) -> list[float] | None:
        return [*times(self.path)] or None

    def draw(self, moment: int | None) -> Drawing:
        moments = self.times
        return draw(self.path, None if moments is None or moment is None else moments[moment])


class Series:
    def __init__(self, path: Path) -> None:
        self.path, self.label = path, path.name

    @property
    def times(self) -> list[float]:
        return [time for time, _ in self._states]

    def draw(self, moment: int | None) -> Drawing:
        return draw(self._states[-1 if moment is None else moment][1])

    @cached_property
    def _states(self) -> Sequence[tuple[float, Path]]:
        with reading(self.path):
            return read_pvd(self.path)


def read_pvd(path: Path) -> list[tuple[float, Path]]:
    """Times and files, in order."""
    if path.stat().st_size > MOST_BYTES:
        raise DataError(f"more than {MOST_BYTES:,} bytes, which no list of files has")
    text = path.read_bytes()
    if b"<!" in text.replace(b"<!--", b""):
        raise DataError("declares entities or types, which a list of files has no use for")
    try:
        entries = [*ElementTree.fromstring(text).iter("DataSet")]
    except ElementTree.ParseError as error:
        raise DataError(f"damaged: {error}") from None
    if not entries:
        raise DataError("names no files")
    return sorted(_state(path.parent, entry) for entry in entries)


def _state(folder: Path, entry: ElementTree.Element) -> tuple[float, Path]:
    name, text = entry.get("file", ""), entry.get("timestep", "")
    try:
        time = float(text)
    except ValueError:
        time = float("nan")
    if not isfinite(time):
        raise DataError(f"{name}: timestep {text[:20]!r}, expected a number")
    file = folder / name
    if not file.resolve().is_relative_to(folder.resolve()):
        raise DataError(f"{name[:80]}: outside of the folder of the list")
    if not is_readable(file):
        raise DataError(f"{name[:80]}: no such file, or of no format that is known")
    return time, file


def source_of(path: Path) -> Source:
    return Series(path) if path.suffix.lower() == PVD else OneFile(path)


def is_source(path: Path) -> bool:
    return is_readable(path) or (path.suffix.lower() == PVD and path.is_file())
