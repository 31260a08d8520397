"""Named arrays in .npz and .h5 files: what `llt predict` reads and writes.

Names are those of the fields, and `points` for coordinates. In HDF5 files a field may also stand
in a group, as `inputs/permeability` does in a dataset file, where an output may have the same name.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from llt.data.hdf5 import new_file, open_file
from llt.errors import DataError
from llt.runtime.files import replacing

Arrays = dict[str, NDArray[np.float32]]
SUFFIXES = (".npz", ".h5", ".hdf5")
GIVEN = ("", "inputs", "parameters")  # groups of what goes in: it comes before all else of its name


def read_arrays(path: Path) -> Arrays:
    """All numeric arrays of a file by their last name."""
    _check_suffix(path)
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    try:
        return _read_npz(path) if path.suffix == ".npz" else _read_hdf5(path)
    except (OSError, zipfile.BadZipFile, EOFError, ValueError) as error:
        if isinstance(error, DataError):
            raise DataError(f"{path}: {error}") from None
        raise DataError(f"{path}: not a readable {path.suffix} file or damaged") from error


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    _check_suffix(path)
    if path.suffix == ".npz":
        with replacing(path) as beside, beside.open("wb") as file:
            np.savez_compressed(file, **dict(arrays))
        return
    with new_file(path) as (archive, _):
        for name, value in arrays.items():
            archive.create_dataset(name, data=value, compression="gzip", shuffle=True)


def _read_npz(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files if archive[name].dtype.kind in "fiub"}


def _read_hdf5(path: Path) -> Arrays:
    found: Arrays = {}

    def visit(name: str, item: object) -> None:
        group, _, last = name.rpartition("/")
        if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "fiub":
            return
        if group in GIVEN or last not in found:
            found[last] = item[()]

    with open_file(path) as file:
        file.visititems(visit)
    return found


def _check_suffix(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise DataError(f"{path}: unknown suffix {path.suffix!r}; use {', '.join(SUFFIXES)}")
