"""Finding, loading and describing published files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from llt.data.npy import map_npy
from llt.errors import DataError
from llt.runtime.reading import check_file, reading


def find_files(folder: Path, names: Sequence[str]) -> list[Path]:
    """The files in the folder or below it; all at once, before minutes go into reading one."""
    found = []
    for name in names:
        matches = sorted(folder.rglob(name))
        if not matches:
            raise DataError(
                f"{folder / name}: no such file; the benchmark consists of {', '.join(names)}"
            )
        found.append(matches[0])
    return found


def load_array(path: Path, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """A NumPy file of the given shape (None: any), not yet read into memory."""
    check_file(path)
    with reading(path):
        array = map_npy(path)
    fits = len(array.shape) == len(shape) and all(
        want in (None, have) for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits:
        right = ", ".join("samples" if n is None else str(n) for n in shape)
        raise DataError(f"{path}: has shape {array.shape}, expected ({right})")
    return array


def describe(path: Path, shape: Sequence[int], dtype: object) -> dict[str, Any]:
    """What a dataset remembers of a file it came from, with its array or the largest of them."""
    with path.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "name": path.name,
        "shape": list(shape),
        "dtype": str(dtype),
        "sha256": checksum,
    }
