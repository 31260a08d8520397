"""HDF5 files: read so that they give nothing but what is in them, written so that a full disk
costs nothing but the attempt.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

from llt.errors import DataError
from llt.runtime.files import replacing

HELD_BACK = 2**20  # bytes of every array that wait in memory, so that a full disk shows early


def open_file(path: Path, **options: Any) -> h5py.File:
    """A file for reading; one that would show the contents of others is refused."""
    file = h5py.File(path, "r", **options)
    try:
        _refuse_others(file, set())
    except BaseException:
        file.close()
        raise
    return file


def _refuse_others(group: h5py.Group, seen: set[int]) -> None:
    address = h5py.h5o.get_info(group.id).addr
    if address in seen:  # groups may contain each other
        return
    seen.add(address)
    for name in group:
        where = f"{group.name.rstrip('/')}/{name}"
        link = group.get(name, getlink=True)
        if isinstance(link, h5py.ExternalLink):
            raise DataError(f"{where} is a link to another file, {link.filename}; store a copy")
        if isinstance(link, h5py.SoftLink):
            continue  # to what is, or is not, in this file
        item = group[name]
        if isinstance(item, h5py.Group):
            _refuse_others(item, seen)
        elif isinstance(item, h5py.Dataset) and (item.external or item.is_virtual):
            raise DataError(f"{where} has its numbers in other files; store a copy")


@contextmanager
def new_file(path: Path) -> Iterator[tuple[h5py.File, PatientOutput]]:
    """A new HDF5 file, written beside its place and renamed when it is complete.

    Ask the output's `check` now and then where the writing takes long.
    """
    with replacing(path) as beside, beside.open("w+b", buffering=0) as raw:
        output = PatientOutput(raw)
        try:
            with h5py.File(output, "w", driver="fileobj", rdcc_nbytes=HELD_BACK) as file:
                yield file, output
        except BaseException:
            output.check()  # what else went wrong is a consequence of the failed write
            raise
        output.check()


class PatientOutput:
    """A file that remembers the first failing write, and from then on only pretends to write.

    The HDF5 library does not survive a write that fails: it prints to standard error and may
    take the process down when the file is closed.
    """

    def __init__(self, output: io.FileIO) -> None:
        self.output = output
        self.error: OSError | None = None

    def check(self) -> None:
        """Raise what went wrong."""
        if self.error is not None:
            raise self.error from None

    def write(self, data: bytes) -> int:
        view = memoryview(data).cast("B")
        try:
            done = 0
            while done < len(view) and self.error is None:
                done += self.output.write(view[done:]) or 0
        except OSError as error:
            self.error = error
        return len(view)

    def truncate(self, size: int) -> int:
        try:
            if self.error is None:
                self.output.truncate(size)
        except OSError as error:
            self.error = error
        return size

    def read(self, size: int = -1) -> bytes:
        return self.output.read(size)

    def readinto(self, buffer: bytearray) -> int:
        return self.output.readinto(buffer)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self.output.seek(offset, whence)

    def tell(self) -> int:
        return self.output.tell()

    def flush(self) -> None:
        """Nothing is held back."""
