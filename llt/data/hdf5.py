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

from llt.data.contents import chunk_bytes, datasets
from llt.data.look import look, trust
from llt.errors import DataError
from llt.runtime.files import replacing
from llt.runtime.limits import check_size
from llt.runtime.reading import check_file, reading

HELD_BACK = 2**20  # bytes of every array that wait in memory, so that a full disk shows early


def open_file(path: Path, **options: Any) -> h5py.File:
    """A file for reading; one that would show the contents of others is refused."""
    check_file(path)
    with reading(path):
        if not h5py.is_hdf5(path):
            raise DataError("not an HDF5 file or damaged; see docs/data-format.md")
        look(path)
        file = h5py.File(path, "r", **options)
        try:
            for name, array in datasets(file):
                check_size(path, chunk_bytes(array), f"a chunk of {name}")
        except BaseException:
            file.close()
            raise
    return file


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
    trust(path)


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
