"""Plasticity: `plas_N987_T20.mat`, dies that press blocks of metal, in 20 frames.

`output` (S, 101, 31, 20, 4) holds x, y, u_x, u_y at every node and frame, in mm; node (i, j) of
the undeformed block lies at x = 0.35 - i / 2, y = 14.9 - j / 2. `input` (S, 101) is the height of
the die over x; people who have plotted it say that it runs opposite to i, and so does the edge
that it leaves behind, which is asked here.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.mat_file import mat_kind, mat_slabs, read_mat
from llt.data.published.source_files import describe, find_files
from llt.data.splits import Splits
from llt.errors import DataError
from llt.problem import PLASTICITY
from llt.runtime.limits import check_size

FILE = "plas_N987_T20.mat"
GRID, FRAMES, CHANNELS = (101, 31), 20, 4
TRAIN, TEST = 900, 80
SAME = 1e-4  # of the block's size, by which positions may differ that should be the same
Floats = NDArray[np.float32]


def read_plasticity(folder: Path, *, scrambled_positions: bool = False) -> Dataset:
    """Train on the first 900 of 987 samples, test on the last 80, validate on those between.

    A node is given where it was before the die came, in mm, and the height of the die above it.

    Args:
        scrambled_positions: what the literature's public scripts give their networks instead.
            Positions on the unit square were written in the other order of the axes, so that
            they belong to other nodes, and the die runs backward, as the file has it.
    """
    (path,) = find_files(folder, (FILE,))
    die = _read_die(path)
    outputs = _read_outputs(path, len(die))  # (S, T, N, 4)
    points = _reference(path, outputs)
    _check_frames(path, outputs)
    backward = _runs_backward(die, outputs)
    if scrambled_positions:
        points = _scrambled()
    elif backward:
        die = die[:, ::-1]
    inputs = np.repeat(die, GRID[1], axis=1)[..., None]
    # the mirror does not take scrambled positions to each other
    symmetries = () if scrambled_positions else PLASTICITY.symmetries
    return Dataset(
        problem=replace(PLASTICITY, grid=GRID, symmetries=symmetries),
        points=points,
        inputs=inputs,
        outputs=outputs,
        times=np.linspace(0, 1, FRAMES),
        splits=_splits(len(die)),
        provenance={
            "source": "published",
            "files": [describe(path, *mat_kind(path, "output"))],
            "scrambled_positions": scrambled_positions,
            "die_runs_backward": backward,
        },
    )


def _splits(num: int) -> Splits:
    order = np.arange(num)
    return Splits.of(order[:TRAIN], order[TRAIN : num - TEST], order[num - TEST :])


def _read_die(path: Path) -> Floats:
    """(S, 101), once both arrays are known to have the right shapes."""
    right = (*GRID, FRAMES, CHANNELS)
    shapes = {name: mat_kind(path, name)[0] for name in ("input", "output")}
    for name, behind in (("input", GRID[:1]), ("output", right)):
        shape = shapes[name]
        if shape[1:] != behind or shape[0] != shapes["input"][0]:
            wanted = ", ".join(map(str, ("samples", *behind)))
            raise DataError(f"{path}: {name} has shape {shape}, expected ({wanted})")
    num = shapes["input"][0]
    if num <= TRAIN + TEST:
        raise DataError(
            f"{path}: holds {num} samples; {TRAIN} to train, {TEST} to test and some "
            "between to validate are needed"
        )
    check_size(path, num * prod(right) * 4, "output")
    (die,) = read_mat(path, ("input",))
    die = np.ascontiguousarray(die, np.float32)
    _check_finite(path, "input", die.T)
    return die


def _read_outputs(path: Path, num: int) -> Floats:
    """Frame by frame into the one array that the dataset keeps."""
    outputs = np.empty((num, FRAMES, prod(GRID), CHANNELS), np.float32)
    slabs = mat_slabs(path, "output", 3)
    for (channel, frame), slab in zip(np.ndindex(CHANNELS, FRAMES), slabs, strict=True):
        outputs[:, frame, :, channel] = slab.reshape(num, -1)
        _check_finite(path, f"output, frame {frame},", outputs[:, frame, :, channel].T)
    return outputs


def _check_finite(path: Path, what: str, values: NDArray[Any]) -> None:
    """Of (..., S)."""
    bad = ~np.isfinite(values).all(axis=0)
    if bad.any():
        raise DataError(f"{path}: {what} holds NaN or infinity in sample {int(bad.argmax())}")


def _reference(path: Path, outputs: Floats) -> Floats:
    """Where the nodes were before, (N, 2): x - u, the same in all samples at all times."""
    first = outputs[0, 0, :, :2] - outputs[0, 0, :, 2:]
    size = float(np.ptp(first, axis=0).max())
    for index, sample in enumerate(outputs):
        away = np.abs(sample[..., :2] - sample[..., 2:] - first).max(axis=(1, 2))
        if away.max() > SAME * size:
            raise DataError(
                f"{path}: x - u of sample {index}, frame {int(away.argmax())} is "
                f"{away.max():.3g} away from that of the first; channels must be x, y, u_x, u_y"
            )
    rows, columns = np.moveaxis(first.reshape(*GRID, 2), -1, 0)
    straight = max(np.ptp(rows, axis=1).max(), np.ptp(columns, axis=0).max()) <= SAME * size
    if not (straight and _one_way(rows[:, 0]) and _one_way(columns[0])):
        raise DataError(
            f"{path}: x - u is no grid along whose first axis x runs, and y along its second; "
            "output must be (samples, 101 along x, 31 along y, frames, channels)"
        )
    return first


def _one_way(values: Floats) -> bool:
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())


def _check_frames(path: Path, outputs: Floats) -> None:
    """The block is whole at first, and the die only goes down."""
    sizes = [
        float(np.sqrt(np.square(frame, dtype=np.float64).mean()))
        for frame in np.moveaxis(outputs[..., 2:], 1, 0)
    ]
    falls = np.flatnonzero(np.diff(sizes) <= 0)
    if falls.size or sizes[0] > 0.1 * sizes[-1]:
        k = int(falls[0]) if falls.size else 0
        raise DataError(
            f"{path}: frames must increase in time, from the undeformed block on: the mean "
            f"displacement is {sizes[k]:.3g} in frame {k}, {sizes[k + 1]:.3g} in frame {k + 1}"
        )


def _runs_backward(die: Floats, outputs: Floats) -> bool:
    """Whether the die's values lie above the nodes in reverse order, as the data themselves tell.

    The upper edge follows the die at the end; what all samples have in common says nothing.
    """
    y = outputs[:, -1, :, 1].reshape(len(die), *GRID)
    upper = 0 if y[0, 0, 0] > y[0, 0, -1] else -1
    edge = y[..., upper] - y[..., upper].mean(axis=0)
    die = die - die.mean(axis=0)
    forward, backward = (abs(float((edge * z).sum())) for z in (die, die[:, ::-1]))
    return backward > forward


def _scrambled() -> Floats:
    """The scripts' positions: written with y along the first axis, read with x along it."""
    x, y = np.meshgrid(np.linspace(0, 1, GRID[0]), np.linspace(0, 1, GRID[1]))
    return np.stack([x, y], axis=-1).reshape(-1, 2).astype(np.float32)
