"""NumPy's files, .npy and .npz: numbers alone, and no more of them than the file has.

`numpy.load` allocates what a header declares, and expands whatever a zip archive contains.
"""

from __future__ import annotations

import zipfile
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from llt.data.contents import REAL
from llt.errors import DataError
from llt.runtime.limits import check_size

SUFFIX = ".npy"
PIECE = 2**20
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may take any memory to unpack


def map_npy(path: Path) -> NDArray[Any]:
    """The array of a .npy file, not yet read into memory."""
    array = npy.open_memmap(path, mode="r")
    if array.dtype.kind not in REAL:
        raise DataError(f"values of type {array.dtype}, expected real numbers")
    return array


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays of numbers in a .npz file by name."""
    with zipfile.ZipFile(path) as archive:
        members = [info for info in archive.infolist() if info.filename.endswith(SUFFIX)]
        check_size(path, sum(info.file_size for info in members), "what it holds")
        found = {}
        for info in members:
            name = info.filename.removesuffix(SUFFIX)
            if info.compress_type not in PLAIN or name in found:
                raise DataError(f"{info.filename}: compressed in an unknown way, or there twice")
            with archive.open(info) as member:
                array = _read(member, info)
            if array is not None:
                found[name] = array
        return found


def _read(member: IO[bytes], info: zipfile.ZipInfo) -> NDArray[Any] | None:
    """One array; None where it is not of numbers."""
    version = npy.read_magic(member)
    if version not in ((1, 0), (2, 0)):
        return None  # written for names of fields that numbers have not
    header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, by_columns, dtype = header(member)
    if dtype.kind not in REAL:
        return None
    declared, there = prod(shape) * dtype.itemsize, info.file_size - member.tell()
    if declared != there or min(shape, default=0) < 0:
        raise DataError(f"{info.filename}: shape {shape} takes {declared} bytes, it has {there}")
    content = bytearray(declared)
    _fill(member, memoryview(content))
    array = np.frombuffer(content, dtype)
    return array.reshape(shape, order="F" if by_columns else "C")


def _fill(member: IO[bytes], content: memoryview) -> None:
    """To its end, and to the end of the member, where its checksum is compared."""
    while content and (piece := member.read(min(len(content), PIECE))):
        content[: len(piece)] = piece
        content = content[len(piece) :]
    if content or member.read(1):
        raise DataError("ends too early, or too late")
