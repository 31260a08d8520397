"""Arrays that stay in a dataset file and are read when they are indexed."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from llt.data.hdf5 import open_file
from llt.runtime.limits import check_size

HELD = 2**20  # bytes of every array that stay in memory once read
FLOAT, BOOL = np.dtype(np.float32), np.dtype(np.bool_)


class StoredFile:
    """A dataset file, opened for reading once in every process that reads it."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.checksums: NDArray[np.bytes_] | None = None  # of all samples, where the file has them
        self._opened: tuple[int, h5py.File] | None = None

    def handle(self) -> h5py.File:
        # a handle does not survive the forking of its process
        if self._opened is None or self._opened[0] != os.getpid():
            self._opened = os.getpid(), open_file(self.path, rdcc_nbytes=HELD)
        return self._opened[1]

    def close(self) -> None:
        if self._opened is not None:
            self._opened[1].close()
            self._opened = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_opened": None}


@dataclass(frozen=True)
class Stored:
    """Fields of one shape as one array: grids flattened, channels last.

    Its leading axes are indexed as an array's, by numbers, slices and lists of numbers.
    """

    file: StoredFile
    names: tuple[str, ...]  # in the file
    shape: tuple[int, ...]  # as seen from here
    grid: tuple[int, ...] | None
    dtype: np.dtype[Any] = FLOAT
    stacked: bool = True  # the fields become channels; else there is one, taken as it is
    behind: int = 0  # axes in the file behind those of the points: coordinates have one
    stride: tuple[int, ...] = ()  # along the axes of the grid; () takes every point

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def _num_bytes(self, key: Any) -> int:
        """Of the part of one field that a key selects, in single precision."""
        shape = list(self.shape[:-1] if self.stacked else self.shape)
        for axis, part in enumerate(key if isinstance(key, tuple) else (key,)):
            chosen = len(range(*part.indices(shape[axis]))) if isinstance(part, slice) else 1
            shape[axis] = chosen
        return prod(shape) * self.dtype.itemsize

    def thinned(self, stride: tuple[int, ...]) -> Stored:
        """The same on every k-th of these points of a grid."""
        assert self.grid is not None
        if self.stride:
            stride = tuple(a * b for a, b in zip(self.stride, stride, strict=True))
        points = prod((n - 1) // k + 1 for n, k in zip(self.grid, stride, strict=True))
        axis = self.ndim - 1 - (1 if self.stacked else self.behind)
        shape = (*self.shape[:axis], points, *self.shape[axis + 1 :])
        return replace(self, shape=shape, stride=stride)

    def __getitem__(self, key: Any) -> NDArray[Any]:
        if isinstance(key, list | np.ndarray):
            rows = [self[int(row)] for row in key]
            return np.stack(rows) if rows else np.empty((0, *self.shape[1:]), self.dtype)
        if not self.stacked:
            return self._read(self.names[0], key)
        first = self._read(self.names[0], key)
        values = np.empty((*first.shape, len(self.names)), self.dtype)
        values[..., 0] = first
        for channel, name in enumerate(self.names[1:], start=1):
            values[..., channel] = self._read(name, key)
        return values

    def _read(self, name: str, key: Any) -> NDArray[Any]:
        check_size(self.file.path, self._num_bytes(key), name)
        values = np.asarray(self.file.handle()[name][key], self.dtype)
        if self.grid is None:
            return values
        end = values.ndim - self.behind
        lead, behind = values.shape[: end - len(self.grid)], values.shape[end:]
        if self.stride:
            key = (
                ...,
                *(slice(None, None, k) for k in self.stride),
                *(slice(None) for _ in behind),
            )
            values = values[key]
        points = prod(values.shape[len(lead) : len(lead) + len(self.grid)])
        return values.reshape(*lead, points, *behind)
