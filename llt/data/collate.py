"""Samples of one problem put together into a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset, Sample
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
    sizes = [len(sample.points) for sample in samples]
    join = np.stack if len(set(sizes)) == 1 else np.concatenate
    points, inputs, outputs = (
        join([np.asarray(getattr(sample, name), dtype=np.float32) for sample in samples])
        for name in ("points", "inputs", "outputs")
    )
    ragged = len(set(sizes)) > 1
    if not ragged and (points == points[:1]).all():
        points = points[0]
    return Dataset(
        problem=problem,
        points=points,
        inputs=inputs,
        outputs=outputs,
        offsets=np.cumsum([0, *sizes]) if ragged else None,
        times=times,
        splits=splits,
        provenance=provenance or {},
        samples=records or {},
    )
