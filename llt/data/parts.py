"""Large point sets cut into random parts that a training can hold, each a sample of its own.

A part is some points of a case, drawn evenly: it has the same shape, only coarser. Its neighbors
are among its own points. So a model that was trained on parts of so many points is asked about
whole cases with neighbors among as many of theirs (`radius_graph`), and all is as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from llt.data.collate import collate
from llt.data.dataset import Dataset
from llt.data.sample import Sample
from llt.data.splits import Splits
from llt.errors import ConfigError


def cut(data: Dataset, num_points: int, parts: int = 1, seed: int = 0) -> Dataset:
    """Training and validation samples in parts of at most so many points, in memory.

    Args:
        parts: of a training sample, at most; no two have a point in common. Validation samples
            have one part, so that they count the same.
    """
    if data.problem.grid is not None:
        raise ConfigError(
            f"train.points={num_points} is for point sets; use train.strides on grids"
        )
    train = [
        part for index in data.split("train") for part in _cut(data, index, num_points, parts, seed)
    ]
    val = [part for index in data.split("val") for part in _cut(data, index, num_points, 1, seed)]
    found = collate(
        data.problem,
        [*train, *val],
        Splits.consecutive(len(train), len(val), 0),
        times=data.times,
        provenance=data.provenance,
    )
    return replace(found, finer=data)


def _cut(
    data: Dataset, index: np.int64, num_points: int, parts: int, seed: int
) -> Iterator[Sample]:
    sample = data.sample(int(index))
    N = len(sample.points)
    order = np.random.default_rng((seed, int(index))).permutation(N)
    for part in range(max(1, min(parts, N // num_points))):
        rows = order[part * num_points : (part + 1) * num_points]
        yield sample.thinned(np.sort(rows))
