"""Readers of the published benchmark files, with the literature's splits and protocol.

Samples that the literature leaves unused become the validation set, so that checkpoints can be
selected without looking at the test set.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.published.car import read_car
from llt.data.published.darcy import read_darcy
from llt.data.published.geometry import read_airfoil, read_elasticity, read_pipe
from llt.data.published.plasticity import read_plasticity
from llt.data.published.stream import Stream
from llt.errors import ConfigError, DataError, unknown
from llt.runtime.reading import naming

__all__ = ["READERS", "import_published", "read_published"]

Reader = Callable[..., Dataset | Stream]
READERS: dict[str, Reader] = {
    "airfoil": read_airfoil,
    "car": read_car,
    "darcy": read_darcy,
    "elasticity": read_elasticity,
    "pipe": read_pipe,
    "plasticity": read_plasticity,
}


# shows how a title's work of so many steps goes on
Progress = Callable[[str, int], AbstractContextManager[Callable[[], None]]]


@contextmanager
def silent(title: str, total: int) -> Iterator[Callable[[], None]]:
    yield lambda: None


def read_published(problem: str, folder: Path, **options: Any) -> Dataset:
    """Read a problem's files from a folder into memory.

    Args:
        options: the reader's own keyword arguments.
    """
    reader = _reader(problem, options)
    with naming(folder):
        return _read(reader, folder, options).load()


def import_published(
    problem: str, folder: Path, out: Path, *, progress: Progress = silent, **options: Any
) -> Dataset:
    """Write a problem's files as a dataset file, which may be larger than the memory."""
    reader = _reader(problem, options)
    with naming(folder):
        found = _read(reader, folder, options)
        if isinstance(found, Dataset):
            dataset_file.write(out, found)
        else:
            with progress(f"reading {problem}", len(found)) as advance:
                found.write(out, advance)
    return dataset_file.read(out)


def _reader(problem: str, options: dict[str, Any]) -> Reader:
    if problem not in READERS:
        raise ConfigError(unknown("published problem", problem, READERS))
    reader = READERS[problem]
    parameters = inspect.signature(reader).parameters
    known = {name: p.default for name, p in parameters.items() if name != "folder"}
    for name, value in options.items():
        if not known:
            raise ConfigError(f"--set {name}: the {problem} reader has no settings")
        if name not in known:
            raise ConfigError(unknown(f"setting of the {problem} reader", name, known))
        if type(value) is not type(known[name]):
            raise ConfigError(f"{name}={value!r} must be of type {type(known[name]).__name__}")
    return reader


def _read(reader: Reader, folder: Path, options: dict[str, Any]) -> Dataset | Stream:
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder")
    return reader(folder, **options)
