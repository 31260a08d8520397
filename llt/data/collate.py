"""Samples of one problem put together into a dataset in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.sample import Sample
from llt.data.splits import Splits
from llt.problem import Problem


def collate(
    problem: Problem,
    samples: Sequence[Sample],
    splits: Splits,
    *,
    times: NDArray[np.float64] | None = None,
    provenance: dict[str, Any] | None = None,
    records: dict[str, NDArray[Any]] | None = None,
) -> Dataset:
    """Stacked where all samples have the same number of points, ragged where they do not."""
    samples = [sample.in_single_precision() for sample in samples]
    sizes = [len(sample.points) for sample in samples]
    ragged = len(set(sizes)) > 1

    def join(arrays: list[NDArray[Any]], *, shared: bool = False) -> NDArray[Any]:
        if ragged:  # points are the last axis but one, and the last of masks
            return np.concatenate(arrays, axis=max(arrays[0].ndim - 2, 0))
        if shared and all(np.array_equal(array, arrays[0]) for array in arrays):
            return arrays[0]
        return np.stack(arrays)

    return Dataset(
        problem=problem,
        points=join([sample.points for sample in samples], shared=True),
        inputs=join([sample.inputs for sample in samples]),
        outputs=join([sample.outputs for sample in samples]),
        offsets=np.cumsum([0, *sizes]) if ragged else None,
        times=times,
        masks={
            name: join([sample.masks[name] for sample in samples], shared=True)
            for name in samples[0].masks
        },
        weights={
            name: join([sample.weights[name] for sample in samples], shared=True)
            for name in samples[0].weights
        },
        parameters=np.stack([sample.parameters for sample in samples]),
        derived=np.stack([sample.derived for sample in samples]),
        splits=splits,
        provenance=provenance or {},
        records=records or {},
    )
