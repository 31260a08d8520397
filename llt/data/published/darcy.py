"""Darcy: `piececonst_r421_N1024_smooth{1,2}.mat`, MATLAB version 5 or 7.3."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.mat_file import read_mat
from llt.data.published.source_files import describe, find_files
from llt.data.splits import Splits
from llt.errors import ConfigError, DataError
from llt.problem import DARCY

FILES = ("piececonst_r421_N1024_smooth1.mat", "piececonst_r421_N1024_smooth2.mat")


def read_darcy(folder: Path, *, resolution: int = 85) -> Dataset:
    """Train on the first 1000 of smooth1, test on the first 200 of smooth2, every 5th point.

    Validation: the rest of smooth1 and as many of smooth2 as make up 200.
    """
    paths = find_files(folder, FILES)
    parts = [_read_mat(path, ("coeff", "sol"), resolution) for path in paths]
    (coeff1, sol1, about1), (coeff2, sol2, about2) = parts
    train = min(1000, len(sol1))
    test = min(200, len(sol2))
    spare2 = min(len(sol2) - test, max(0, 200 - (len(sol1) - train)))
    inputs = np.concatenate([coeff1, coeff2[: test + spare2]])
    outputs = np.concatenate([sol1, sol2[: test + spare2]])
    order = np.arange(len(outputs))
    first_test = len(sol1)
    splits = Splits.of(
        order[:train],
        np.concatenate([order[train:first_test], order[first_test + test :]]),
        order[first_test : first_test + test],
    )
    return Dataset(
        problem=replace(DARCY, grid=(resolution, resolution)),
        points=_cell_centers(about1["shape"][-1], resolution),
        inputs=inputs.reshape(len(inputs), -1, 1),
        outputs=outputs.reshape(len(outputs), -1, 1),
        splits=splits,
        provenance={"source": "published", "files": [about1, about2]},
    )


def _cell_centers(fine: int, resolution: int) -> NDArray[np.float32]:
    """Coordinates of the kept points: the files hold values at cell centers (i + 1/2) / fine."""
    stride = (fine - 1) // (resolution - 1)
    axis = (np.arange(0, fine, stride) + 0.5) / fine
    y, x = np.meshgrid(axis, axis, indexing="ij")
    return np.stack([x, y], axis=-1).reshape(-1, 2).astype(np.float32)


def _read_mat(
    path: Path, names: tuple[str, str], resolution: int
) -> tuple[NDArray[np.float32], NDArray[np.float32], dict[str, Any]]:
    """Two fields (S, n, n) of a MATLAB file, version 5 or 7.3, thinned to the resolution."""
    arrays = read_mat(path, names)
    first, second = arrays
    if first.shape != second.shape or first.ndim != 3 or first.shape[1] != first.shape[2]:
        raise DataError(
            f"{path}: {names[0]} {first.shape} and {names[1]} {second.shape} must both be (S, n, n)"
        )
    about = describe(path, second.shape, second.dtype)
    return *(_thin(array, resolution, path) for array in arrays), about  # type: ignore[return-value]


def _thin(array: NDArray[Any], resolution: int, path: Path) -> NDArray[np.float32]:
    fine = array.shape[-1]
    if resolution < 2 or (fine - 1) % (resolution - 1):
        fits = [n for n in range(2, fine + 1) if (fine - 1) % (n - 1) == 0]
        raise ConfigError(f"{path}: resolution {resolution} does not divide {fine}; fits: {fits}")
    stride = (fine - 1) // (resolution - 1)
    return np.ascontiguousarray(array[:, ::stride, ::stride], dtype=np.float32)
