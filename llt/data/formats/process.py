"""Processes for VTK and meshio: kept warm between files, as many as are asked at the same time."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import ParamSpec, TypeVar

from llt.data.formats.kinds import format_of
from llt.errors import ConfigError
from llt.runtime.apart import Apart
from llt.runtime.limits import read_limit

T = TypeVar("T")
P = ParamSpec("P")
SECONDS, SPEED = 120.0, 1e6  # a file may take so long, and longer by its bytes a second
LIBRARIES = 2**29  # bytes that are loaded with the first file of a kind

_idle: list[Apart] = []


def call(path: Path, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """A function in one of the processes, within limits that fit the size of a case."""
    library = "meshio" if path.suffix.lower() == ".msh" else "pyvista"
    if find_spec("pyvista") is None or find_spec(library) is None:
        raise ConfigError(
            f"{path}: {format_of(path).name} is read with {library}, which is missing; "
            'pip install "llt[cae]"'
        )
    size = sum(file.stat().st_size for file in _files(path))
    seconds, memory = SECONDS + size / SPEED, read_limit(path, size) + LIBRARIES
    try:
        process = _idle.pop()
    except IndexError:
        process = Apart()
    try:
        return process.call_within(path, seconds, memory, function, *args, **kwargs)
    finally:
        _idle.append(process)


def _files(path: Path) -> Iterator[Path]:
    """Of the case; where one file names others, at most all beside it."""
    if path.is_dir() or path.suffix.lower() == ".foam":
        folder = path if path.is_dir() else path.parent
        yield from (file for file in folder.rglob("*") if file.is_file())
    elif path.suffix.lower() in (".case", ".encas"):
        yield from (file for file in path.parent.iterdir() if file.is_file())
    elif path.is_file():
        yield path


def _close() -> None:
    while _idle:
        _idle.pop().close()


atexit.register(_close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)
