"""A process of its own for a library that may crash on damaged files, as VTK does."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TypeVar

from llt.errors import DataError
from llt.runtime.workers import work_for

T = TypeVar("T")


def apart() -> ProcessPoolExecutor:
    """One process, whose libraries complain to nobody; it is started at the first call.

    Scripts that come here need `if __name__ == "__main__":`, as always with processes.
    """
    fresh = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, fresh, initializer=_begin, initargs=(os.getpid(),))


def call_apart(pool: ProcessPoolExecutor, read: Callable[[Path], T], path: Path) -> T:
    """What `read` returns or raises for a path; an error where the process ends at it."""
    try:
        return pool.submit(read, path).result()
    except BrokenProcessPool:
        raise DataError(f"{path}: damaged; the library that reads it crashed") from None


def _begin(parent: int) -> None:
    work_for(parent)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
