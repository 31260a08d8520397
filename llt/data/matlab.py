"""MATLAB files of version 5: arrays of real numbers by name.

A header of 128 bytes, then elements of a tag (type, bytes) and content: one for every variable,
mostly compressed, which consists of flags, shape, name and numbers, elements again.
`scipy.io.loadmat` trusts the sizes in the tags, so that megabytes may expand to gigabytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
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
Kind = tuple[tuple[int, ...], np.dtype[Any]]  # shape and type of an array


class Stream(Protocol):
    def read(self, size: int, /) -> Bytes: ...


def read_matlab5(path: Path, names: tuple[str, ...]) -> list[NDArray[Any]]:
    """The arrays of these names."""
    found: dict[str, NDArray[Any]] = {}
    for variable in _variables(path):
        found[variable.name] = np.empty(0)
        if variable.name in names:
            (found[variable.name],) = variable.slabs(path, len(variable.shape))
            check_size(path, sum(array.nbytes for array in found.values()), " and ".join(names))
    for name in names:
        if name not in found:
            raise DataError(unknown("field", name, found))
    return [found[name] for name in names]


def matlab5_names(path: Path) -> tuple[str, ...]:
    """Of the arrays of real numbers."""
    return tuple(variable.name for variable in _variables(path) if variable.is_real)


def matlab5_kind(path: Path, name: str) -> Kind:
    """Of an array that is not read yet."""
    variable = next(_named(path, name))
    return variable.shape, variable.dtype


def matlab5_slabs(path: Path, name: str, axes: int) -> Iterator[NDArray[Any]]:
    """Its parts along the first so many axes, one after the other as they are stored."""
    for variable in _named(path, name):
        yield from variable.slabs(path, axes)


def _named(path: Path, name: str) -> Iterator[_Variable]:
    """The variable of this name, as long as the file is open."""
    others = []
    for variable in _variables(path):
        if variable.name == name:
            yield variable
            return
        others.append(variable.name)
    raise DataError(unknown("field", name, others or ["(none)"]))


def _variables(path: Path) -> Iterator[_Variable]:
    """Each with its numbers still to be read, which must happen before the next is asked for."""
    with path.open("rb") as file:
        order = _byte_order(file.read(HEADER))
        place = HEADER
        while len(tag := file.read(8)) == 8:
            kind, size = np.frombuffer(tag, f"{order}u4").tolist()
            if kind == COMPRESSED:
                stream = _Inflated(file, size)
                stream.read(8)  # the tag of a matrix
                yield _Variable.of(stream, order)
            elif kind == MATRIX:
                yield _Variable.of(file, order)
            place += 8 + size
            file.seek(place)


def _byte_order(header: bytes) -> str:
    if header[-2:] not in (b"IM", b"MI"):
        raise DataError("not a MATLAB file of version 5 or 7.3")
    return "<" if header[-2:] == b"IM" else ">"


@dataclass(frozen=True, slots=True)
class _Variable:
    """What stands before the numbers of a variable, and where they follow."""

    flags: int
    shape: tuple[int, ...]
    name: str
    stream: Stream
    order: str

    @classmethod
    def of(cls, stream: Stream, order: str) -> _Variable:
        """From a stream that begins with its flags."""
        flags = int(np.frombuffer(_element(stream, order), f"{order}u4")[0])
        shape = np.frombuffer(_element(stream, order), f"{order}i4").tolist()
        return cls(flags, tuple(shape), _element(stream, order).decode(), stream, order)

    @property
    def is_real(self) -> bool:
        real = self.flags & 0xFF in CLASSES and not self.flags & COMPLEX
        return real and min(self.shape, default=-1) >= 0

    @property
    def dtype(self) -> np.dtype[Any]:
        if not self.is_real:
            raise DataError(f"{self.name} is not an array of real numbers")
        return np.dtype(CLASSES[self.flags & 0xFF])

    def slabs(self, path: Path, axes: int) -> Iterator[NDArray[Any]]:
        """Parts along the first axes."""
        dtype, shape = self.dtype, self.shape[:axes]
        check_size(path, prod(shape) * dtype.itemsize, self.name)
        kind, size, stream = _open_element(self.stream, self.order)
        stored = np.dtype(f"{self.order}{TYPES[kind]}")
        if size != prod(self.shape) * stored.itemsize:
            numbers = size // stored.itemsize
            raise DataError(f"{self.name} has {numbers} numbers for its shape {self.shape}")
        for _ in range(prod(self.shape[axes:])):
            values = np.frombuffer(_exactly(stream, prod(shape) * stored.itemsize), stored)
            yield values.astype(dtype, copy=False).reshape(shape, order="F")
        if isinstance(self.stream, _Inflated):
            if stream is self.stream:
                _exactly(stream, -size % 8)
            self.stream.check_end()


def _element(stream: Stream, order: str) -> Bytes:
    """The content of a short element."""
    _, size, content = _open_element(stream, order)
    if size > SHORT:
        raise DataError(f"an element of {size} bytes where {SHORT} are enough")
    found = _exactly(content, size)
    if content is stream:
        _exactly(stream, -size % 8)
    return found


def _open_element(stream: Stream, order: str) -> tuple[int, int, Stream]:
    """Type and size of an element, and where its content follows."""
    tag = _exactly(stream, 8)
    kind, size = np.frombuffer(tag, f"{order}u4").tolist()
    if kind >> 16:  # at most four bytes of content, which stand in the tag
        return kind & 0xFFFF, kind >> 16, BytesIO(tag[4:])
    return kind, size, stream


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
