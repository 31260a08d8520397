"""Elasticity, Airfoil and Pipe: coordinates in, one field out, as NumPy files.

All three train on samples 0-999. Validation takes 200 samples that the literature leaves unused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.published.source_files import describe, find_files, load_array
from llt.data.splits import Splits
from llt.errors import ConfigError, DataError, unknown
from llt.problem import AIRFOIL, ELASTICITY, PIPE, Problem

ELASTICITY_FILES = ("Random_UnitCell_XY_10.npy", "Random_UnitCell_sigma_10.npy")
AIRFOIL_FILES = ("NACA_Cylinder_X.npy", "NACA_Cylinder_Y.npy", "NACA_Cylinder_Q.npy")
PIPE_FILES = ("Pipe_X.npy", "Pipe_Y.npy", "Pipe_Q.npy")
TRAIN, HELD_OUT = 1000, 200


def read_elasticity(folder: Path) -> Dataset:
    """2000 samples of 972 points; the test set is the last 200."""
    paths = find_files(folder, ELASTICITY_FILES)
    xy = load_array(paths[0], (972, 2, None))
    sigma = load_array(paths[1], (972, xy.shape[2]))
    num = _enough(xy.shape[2], paths[0])
    splits = _splits(num, val=TRAIN, test=num - HELD_OUT)
    files = [describe(p, z.shape, z.dtype) for p, z in zip(paths, (xy, sigma), strict=True)]
    return _dataset(ELASTICITY, xy.transpose(2, 0, 1), sigma.T, splits, files)


def read_airfoil(folder: Path) -> Dataset:
    """2490 samples on 221 x 51; the test set is 1000-1199; the output is Q's last channel, Mach."""
    return _read_grid(folder, AIRFOIL_FILES, AIRFOIL, channels=5, channel=4, test="canonical")


def read_pipe(folder: Path, *, test: str = "canonical") -> Dataset:
    """2310 samples on 129 x 129; the output is Q's first channel, the streamwise velocity.

    The literature has two test sets: samples 1000-1199 (`canonical`, the default) and the last
    200 (`last`, used by LNO and LinearNO). Errors on one do not compare with errors on the other.
    """
    return _read_grid(folder, PIPE_FILES, PIPE, channels=3, channel=0, test=test)


def _read_grid(
    folder: Path,
    names: tuple[str, str, str],
    problem: Problem,
    *,
    channels: int,
    channel: int,
    test: str,
) -> Dataset:
    assert problem.grid is not None
    if test not in ("canonical", "last"):
        raise ConfigError(unknown("test set", test, ("canonical", "last")))
    paths = find_files(folder, names)
    x = load_array(paths[0], (None, *problem.grid))
    y = load_array(paths[1], (len(x), *problem.grid))
    q = load_array(paths[2], (len(x), channels, *problem.grid))
    num = _enough(len(x), paths[0])
    first = {"canonical": TRAIN, "last": num - HELD_OUT}[test]
    splits = _splits(num, val=TRAIN + HELD_OUT, test=first)
    files = [describe(p, z.shape, z.dtype) for p, z in zip(paths, (x, y, q), strict=True)]
    points = np.stack([x, y], axis=-1).reshape(num, -1, 2)
    return _dataset(problem, points, q[:, channel].reshape(num, -1), splits, files)


def _enough(num: int, path: Path) -> int:
    if num < TRAIN + 2 * HELD_OUT:
        raise DataError(f"{path}: holds {num} samples, the splits need {TRAIN + 2 * HELD_OUT}")
    return num


def _splits(num: int, *, val: int, test: int) -> Splits:
    order = np.arange(num)
    return Splits.of(order[:TRAIN], order[val : val + HELD_OUT], order[test : test + HELD_OUT])


def _dataset(
    problem: Problem,
    points: NDArray[Any],
    outputs: NDArray[Any],
    splits: Splits,
    files: list[dict[str, Any]],
) -> Dataset:
    points, outputs = (np.ascontiguousarray(z, dtype=np.float32) for z in (points, outputs))
    return Dataset(
        problem=problem,
        points=points,
        inputs=np.empty((*outputs.shape, 0), dtype=np.float32),
        outputs=outputs[..., None],
        splits=splits,
        provenance={"source": "published", "files": files},
    )
