"""MATLAB files of version 5: arrays of real numbers by name.

A header of 128 bytes, then elements of a tag (type, bytes) and content: one for every variable,
mostly compressed, which consists of flags, shape, name and numbers, elements again.
`scipy.io.loadmat` trusts the sizes in the tags, so that megabytes may expand to gigabytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator
from math import prod
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from llt.errors import DataError, unknown
from llt.runtime.limits import check_size

INTEGERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 12: "i8", 13: "u8"}
TYPES = INTEGERS | {7: "f4", 9: "f8"}  # of numbers as they are stored
# and as they are meant, from 6 on: a double without a fraction may be stored as an integer
CLASSES = dict(enumerate(("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"), start=6))
MATRIX, COMPRESSED = 14, 15
COMPLEX = 0x800
HEADER, PIECE, SHORT = 128, 2**20, 2**10
Bytes = bytes | bytearray


class Stream(Protocol):
    def read(self, size: int, /) -> Bytes: ...


def read_matlab5(path: Path, names: tuple[str, ...]) -> list[NDArray[Any]]:
    """The arrays of these names."""
    found: dict[str, NDArray[Any]] = {}
    with path.open("rb") as file:
        order = _byte_order(file.read(HEADER))
        for stream in _variables(file, order):
            name, array = _read_variable(stream, order, names, path)
            found[name] = array
            check_size(path, sum(array.nbytes for array in found.values()), " and ".join(names))
    for name in names:
        if name not in found:
            raise DataError(unknown("field", name, found))
    return [found[name] for name in names]


def _byte_order(header: bytes) -> str:
    if header[-2:] not in (b"IM", b"MI"):
        raise DataError("not a MATLAB file of version 5 or 7.3")
    return "<" if header[-2:] == b"IM" else ">"


def _variables(file: IO[bytes], order: str) -> Iterator[Stream]:
    """Each as a stream that begins with its flags."""
    place = HEADER
    while len(tag := file.read(8)) == 8:
        kind, size = np.frombuffer(tag, f"{order}u4").tolist()
        if kind == COMPRESSED:
            stream = _Inflated(file, size)
            stream.read(8)  # the tag of a matrix
            yield stream
        elif kind == MATRIX:
            yield file
        place += 8 + size
        file.seek(place)


def _read_variable(
    stream: Stream, order: str, names: Collection[str], path: Path
) -> tuple[str, NDArray[Any]]:
    """Its name, and its numbers if they are asked for."""
    flags = int(np.frombuffer(_element(stream, order, SHORT)[1], f"{order}u4")[0])
    shape = np.frombuffer(_element(stream, order, SHORT)[1], f"{order}i4").tolist()
    name = _element(stream, order, SHORT)[1].decode()
    if name not in names:
        return name, np.empty(0)
    if flags & 0xFF not in CLASSES or flags & COMPLEX or min(shape, default=-1) < 0:
        raise DataError(f"{name} is not an array of real numbers")
    dtype = np.dtype(CLASSES[flags & 0xFF])
    check_size(path, prod(shape) * dtype.itemsize, name)
    kind, content = _element(stream, order, prod(shape) * 8)
    if isinstance(stream, _Inflated):
        stream.check_end()
    values = np.frombuffer(content, f"{order}{TYPES[kind]}")
    if values.size != prod(shape):
        raise DataError(f"{name} has {values.size} numbers for its shape {tuple(shape)}")
    return name, values.astype(dtype, copy=False).reshape(shape, order="F")


def _element(stream: Stream, order: str, most: int) -> tuple[int, Bytes]:
    """Type and content of an element of so many bytes at most."""
    tag = _exactly(stream, 8)
    kind, size = np.frombuffer(tag, f"{order}u4").tolist()
    if kind >> 16:  # at most four bytes of content, which stand in the tag
        return kind & 0xFFFF, tag[4 : 4 + (kind >> 16)]
    if size > most:
        raise DataError(f"an element of {size} bytes where {most} are enough")
    content = _exactly(stream, size)
    _exactly(stream, -size % 8)
    return kind, content


def _exactly(stream: Stream, size: int) -> Bytes:
    content = stream.read(size)
    if len(content) != size:
        raise DataError("truncated")
    return content


class _Inflated:
    """The contents of a compressed element, as far as they are read."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self.file, self.left = file, size
        self.inflate = zlib.decompressobj()

    def read(self, size: int, /) -> Bytes:
        content = bytearray()
        while len(content) < size and not self.inflate.eof:
            packed = self.inflate.unconsumed_tail or self._next()
            piece = self.inflate.decompress(packed, size - len(content))
            if not packed and not piece:
                break
            content += piece
        return content

    def _next(self) -> bytes:
        packed = self.file.read(min(self.left, PIECE))
        self.left -= len(packed)
        return packed

    def check_end(self) -> None:
        """At the end the checksum is compared."""
        if self.read(1) or not self.inflate.eof:
            raise DataError("more than a variable, or less")
