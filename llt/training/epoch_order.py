"""The order of an epoch: which items each step takes, under which symmetry, on which grid.

Pure functions of seed and epoch, so that a resumed run continues exactly where it was.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.int64]


def epoch_order(
    seed: int, epoch: int, *, num_items: int, batch_size: int, num_symmetries: int = 1
) -> tuple[Table, Table]:
    """Items and symmetries of every step, both (num_steps, batch_size).

    Items that do not fill a last batch are left out; the shuffling picks others next time.
    """
    rng = np.random.default_rng((seed, epoch))
    num_steps = num_items // batch_size
    items = rng.permutation(num_items)[: num_steps * batch_size]
    symmetries = rng.integers(num_symmetries, size=items.shape)
    return items.reshape(num_steps, batch_size), symmetries.reshape(num_steps, batch_size)


def epoch_strides(seed: int, epoch: int, *, num_steps: int, num_strides: int) -> Table:
    """The number of every step's stride, (num_steps,): each equally often, or once more."""
    # numbers of their own, so that strides leave the order of the items as it is without them
    rng = np.random.default_rng((seed, epoch, 1))
    return (rng.permutation(num_steps) + rng.integers(num_strides)) % num_strides
