"""The mean field: the guess that any surrogate has to beat.

One rule: where points of different samples correspond, it is the training set's mean at every
point; elsewhere it is one number per field, the mean over all points. Points correspond on a
grid, and where all samples have the same points. On timed problems it has values for every time.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.sample import Sample
from llt.problem import Problem
from llt.training.validation import Errors, errors_of

AT_POINTS, CONSTANT = "at every point", "one number per field"


def points_correspond(data: Dataset) -> bool:
    """Whether the i-th point of one sample is the i-th of all others."""
    if data.problem.grid is not None or data.shared_points:
        return True
    if data.ragged:
        return False
    first = data.points[0]
    return all(np.array_equal(data.points[i], first) for i in range(1, len(data)))


def mean_field(data: Dataset) -> tuple[NDArray[np.float64], str]:
    """The training set's mean, (N, Cu) or (1, Cu), with times (T, ...); and which it is."""
    matched = points_correspond(data)
    total, count = np.zeros(1), np.zeros(1)
    for sample in map(data.sample, data.split("train")):
        exists = weights(sample, data.problem) > 0
        u, here = sample.outputs * exists, np.broadcast_to(exists, sample.outputs.shape)
        if not matched:
            u, here = (z.sum(axis=-2, keepdims=True, dtype=np.float64) for z in (u, here))
        total, count = total + u, count + here
    return total / np.maximum(count, 1), AT_POINTS if matched else CONSTANT


def guess_errors(data: Dataset, indices: NDArray[np.int64], guess: NDArray[np.float64]) -> Errors:
    """The errors of one guess for all samples."""
    squares = []
    for sample in map(data.sample, indices):
        pair = np.stack([sample.outputs - guess, sample.outputs]) ** 2
        found = (pair * weights(sample, data.problem)).sum(axis=-2)
        squares.append(found.reshape(2, -1, data.problem.out_channels))  # (2, T, Cu)
    times = 1 if data.times is None else len(data.times)
    return errors_of(torch.from_numpy(np.concatenate(squares, axis=1)), times)


def weights(sample: Sample, problem: Problem) -> NDArray[np.float64]:
    """How much each field counts at every point, as in the loss: (N, Cu)."""
    everywhere = np.ones(len(sample.points))
    columns = [
        (sample.masks[field.mask] if field.mask else everywhere) * field.weight
        for field in problem.outputs
    ]
    return np.stack(columns, axis=-1)
