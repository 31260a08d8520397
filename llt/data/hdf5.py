"""Writing HDF5 files so that a full disk costs nothing but the attempt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from llt.runtime.files import write_bytes


@contextmanager
def new_file(path: Path) -> Iterator[h5py.File]:
    """A new HDF5 file, built in memory and written at once.

    The HDF5 library does not survive a write that fails: it prints to standard error and may
    take the process down when the file is closed.
    """
    with h5py.File(path.name, "w", driver="core", backing_store=False) as file:
        yield file
        file.flush()
        content = file.id.get_file_image()
    write_bytes(path, content)
