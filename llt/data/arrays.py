"""Named arrays in .npz and .h5 files: what `llt predict` reads and writes.

Names are those of the fields, and `points` for coordinates. In HDF5 files a field may also stand
in a group, as `inputs/permeability` does in a dataset file, where an output may have the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from llt.data.contents import REAL, datasets, num_bytes
from llt.data.hdf5 import new_file, open_file
from llt.data.npy import read_npz
from llt.errors import DataError
from llt.runtime.files import replacing
from llt.runtime.limits import check_size
from llt.runtime.reading import check_file, reading

Arrays = dict[str, NDArray[np.float32]]
SUFFIXES = (".npz", ".h5", ".hdf5")
GIVEN = ("", "inputs", "parameters")  # groups of what goes in: it comes before all else of its name


def read_arrays(path: Path, groups: Sequence[str] = ()) -> Arrays:
    """All numeric arrays of a file by their last name.

    Args:
        groups: of HDF5 files, whose arrays are there by whole name, too, as outputs/pressure.
    """
    check_suffix(path)
    check_file(path)
    with reading(path):
        return read_npz(path) if path.suffix == ".npz" else _read_hdf5(path, groups)


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    check_suffix(path)
    if path.suffix == ".npz":
        with replacing(path) as beside, beside.open("wb") as file:
            np.savez_compressed(file, **dict(arrays))
        return
    with new_file(path) as (archive, _):
        for name, value in arrays.items():
            packed = {"compression": "gzip", "shuffle": True} if np.ndim(value) else {}
            archive.create_dataset(name, data=value, **packed)


def _read_hdf5(path: Path, groups: Sequence[str]) -> Arrays:
    with open_file(path) as file:
        found: dict[str, h5py.Dataset] = {}
        for name, array in datasets(file):
            group, _, last = name.rpartition("/")
            if array.dtype.kind in REAL and (group in GIVEN or last not in found):
                found[last] = array
            if array.dtype.kind in REAL and group in groups:
                found[name] = array
        check_size(path, sum(map(num_bytes, found.values())), "what it holds")
        return {name: array[()] for name, array in found.items()}


def check_suffix(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise DataError(f"{path}: unknown suffix {path.suffix!r}; use {', '.join(SUFFIXES)}")
