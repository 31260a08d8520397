"""A running mean of the weights, in which the noise of single steps averages out.

    ā ← ā + (1 - d) / (1 - dⁿ) (θ - ā)        after step n = 1, 2, ...

is the mean of the weights after every step so far, each counting d times as much as the next.
The initial weights have no part in it, so that short runs may use it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor


class WeightAverage:
    """Follows the vector `flat` of a model's parameters; all it remembers is the tensor `mean`."""

    def __init__(self, flat: Tensor, *, decay: float, num_steps: int) -> None:
        self.flat, self.mean = flat, flat.clone()
        count = np.arange(1, num_steps + 1)
        shares = (1 - decay) / (1 - decay**count)
        self.shares = torch.from_numpy(shares.astype(np.float32)).to(flat.device)

    def update(self, index: Tensor) -> None:
        """Take in the weights after step `index` (1,) of the run, counted from 0."""
        self.mean.lerp_(self.flat, self.shares[index])

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Let the model have the mean; its own weights come back after."""
        own = self.flat.clone()
        self.flat.copy_(self.mean)
        try:
            yield
        finally:
            self.flat.copy_(own)
