"""Arrays of MATLAB files, version 5 or 7.3: whole, or in slabs of a few megabytes.

MATLAB stores column by column, so the first axes of an array stand together in the file: a slab
is what belongs to one index of each of its last axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from llt.data.contents import REAL, chunk_bytes, datasets, entry, num_bytes
from llt.data.hdf5 import open_file
from llt.data.matlab import Kind, matlab5_kind, matlab5_names, matlab5_slabs, read_matlab5
from llt.runtime.limits import check_size
from llt.runtime.reading import check_file, reading


def read_mat(path: Path, names: tuple[str, ...]) -> list[NDArray[Any]]:
    """The arrays of these names."""
    check_file(path)
    with reading(path):
        if not h5py.is_hdf5(path):
            return read_matlab5(path, names)
        with open_file(path) as file:
            found = [entry(file, name) for name in names]
            check_size(path, sum(map(num_bytes, found)), " and ".join(names))
            # version 7.3 is HDF5, which sees the axes reversed
            return [np.transpose(array[()]) for array in found]


def mat_names(path: Path) -> tuple[str, ...]:
    """Of its arrays of real numbers."""
    check_file(path)
    with reading(path):
        if not h5py.is_hdf5(path):
            return matlab5_names(path)
        with open_file(path) as file:
            return tuple(name for name, array in datasets(file) if array.dtype.kind in REAL)


def mat_kind(path: Path, name: str) -> Kind:
    """Of an array that is not read yet."""
    check_file(path)
    with reading(path):
        if not h5py.is_hdf5(path):
            return matlab5_kind(path, name)
        with open_file(path) as file:
            array = entry(file, name)
            return tuple(reversed(array.shape or ())), array.dtype


def mat_slabs(path: Path, name: str, axes: int) -> Iterator[NDArray[Any]]:
    """Its parts along the first so many axes; of the others, the first index runs fastest."""
    with reading(path):
        if not h5py.is_hdf5(path):
            yield from matlab5_slabs(path, name, axes)
            return
        with open_file(path) as file:
            array = entry(file, name)
            slab = prod(array.shape[array.ndim - axes :]) * array.dtype.itemsize
            check_size(path, max(slab, chunk_bytes(array)), f"a part of {name}")
            for index in np.ndindex(*array.shape[: array.ndim - axes]):
                yield np.transpose(array[index])
