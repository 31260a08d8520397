"""A first look at an HDF5 file, by a process that may hang or crash in place of this one.

On some damaged files the HDF5 library spins without end or dies. So a child opens the file and
walks through its structure, for at most some seconds and gigabytes; arrays are not read. Once for
every file, and not for those that this process has written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import h5py

from llt.data.contents import MOST_BYTES, objects
from llt.errors import DataError, LltError
from llt.runtime.reading import reading

SECONDS = 10  # of computing: a file that spins does nothing else
WAIT = 120  # seconds for a child that computes nothing, as on a disk that does not answer
MEMORY = 2**32  # bytes
MOST_KNOWN = 10_000  # files; a process that sees more without end looks at some again
PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from llt.data import look; "

_known: set[tuple[object, ...]] = set()


def look(path: Path) -> None:
    """Refuse a file whose structure cannot be walked through."""
    if _identity(path) in _known:
        return
    answer = _ask(path)
    if answer:
        raise DataError(answer)
    trust(path)


def trust(path: Path) -> None:
    """This file needs no look, as long as it stays as it is."""
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    _known.add(_identity(path))


def _identity(path: Path) -> tuple[object, ...]:
    found = path.stat()
    return str(path.resolve()), found.st_ino, found.st_size, found.st_mtime_ns


def _ask(path: Path) -> str:
    """What a child has against the file, in one line; nothing if it is fine."""
    program = f"{PROGRAM}print(json.dumps(look.answer(sys.argv[2], {SECONDS})))"
    words = [sys.executable, "-I", "-c", program, json.dumps(sys.path), str(path)]
    # one thread: pools of them take memory and time, and nothing is computed
    single = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(words, capture_output=True, env=single, timeout=WAIT, check=False)
    except subprocess.TimeoutExpired:
        return f"{path}: looking at it took more than {WAIT} s"
    except OSError:
        return ""  # where no process can be started, this one has to do
    if done.returncode < 0:
        return killed(path)
    with suppress(ValueError):
        return str(json.loads(done.stdout))
    return ""


def killed(path: Path) -> str:
    return f"{path}: damaged: the HDF5 library hangs or crashes on it"


def answer(name: str, seconds: int) -> str:
    """The child's part."""
    path = Path(name)
    _confine(seconds)
    try:
        with reading(path), h5py.File(path, "r") as file:
            for _, item in objects(file):
                _touch(item)
            _touch(file)
    except LltError as error:
        return str(error)
    return ""


def _touch(item: h5py.HLObject) -> None:
    """Go where readers go."""
    if isinstance(item, h5py.Dataset):
        item.id.get_storage_size()  # visits all chunks
    if isinstance(item, h5py.Datatype):
        return
    for name in item.attrs:
        if item.attrs.get_id(name).get_storage_size() <= MOST_BYTES:
            item.attrs[name]


def _confine(seconds: int) -> None:
    with suppress(ImportError, ValueError, OSError):  # Windows has no limits of this kind
        import resource

        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (int(used) + seconds,) * 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
