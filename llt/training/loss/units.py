"""What a loss measures fields in.

All fields of a sample count in one relative error: one in pascals hides one in meters. Balanced,
each is measured by its own size in the training set, the components of a vector by their common
one; logarithms, whose zero depends on the unit, by their deviations from the mean.
"""

from __future__ import annotations

import torch
from torch import Tensor

from llt.surrogate import Surrogate


class Units:
    """Per channel: what is taken off, and what the rest is divided by."""

    def __init__(self, surrogate: Surrogate) -> None:
        encode, problem = surrogate.normalizer, surrogate.problem
        mean, variance = encode.u_mean, encode.u_std.square()
        if surrogate.mean_field is not None:  # then these are of the deviations from it
            mean = mean + surrogate.mean_field.mean(0)
            variance = variance + surrogate.mean_field.var(0, correction=0)
        is_log = torch.zeros_like(mean, dtype=torch.bool)
        if encode.u_log is not None:
            is_log = encode.u_log.channels
        self.offset = torch.where(is_log, mean, 0.0)
        size = torch.where(is_log, variance, variance + mean.square())
        for channels in problem.vectors.values():
            if not is_log[list(channels)].any():
                size[list(channels)] = size[list(channels)].mean()
        # a field that is zero everywhere has no size of its own
        self.size = torch.where(size > 0, size, 1.0).sqrt()

    def __call__(self, u: Tensor) -> Tensor:
        return (u - self.offset) / self.size
