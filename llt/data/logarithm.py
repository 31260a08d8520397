"""Fields that a model sees the logarithm of, because they span decades.

Files and predictions hold them in physical units, as all others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from llt.data.dataset import Dataset
from llt.errors import ConfigError, DataError, unknown
from llt.problem import Problem

DECADES = 3.0  # from which on a field is worth its logarithm
LOOKED_AT = 32  # samples that are searched for such fields
SMALLEST, LARGEST = 1e-37, 80.0  # of numbers and of logarithms, so that float32 can hold both


class Logarithms(nn.Module):
    """The logarithm of some channels, and back. Padding holds zeros: it gives a finite number."""

    channels: Tensor

    def __init__(self, channels: Sequence[bool]) -> None:
        super().__init__()
        self.register_buffer("channels", torch.tensor(channels), persistent=False)

    def forward(self, z: Tensor) -> Tensor:
        positive = torch.where(self.channels, z, 1.0).clamp(min=SMALLEST)
        return torch.where(self.channels, positive.log(), z)

    def inverse(self, z: Tensor) -> Tensor:
        # others are not to overflow: what they give is not used, but its gradient is
        power = torch.where(self.channels, z, 0.0).clamp(max=LARGEST).exp()
        return torch.where(self.channels, power, z)


def log_channels(problem: Problem, names: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """Which inputs (fields, then parameters) and which outputs have these names."""
    inputs, outputs = problem.input_names + problem.parameter_names, problem.output_names
    for name in names:
        if name not in inputs + outputs:
            raise ConfigError(f"train.log: {unknown('field', name, inputs + outputs)}")
    return [name in names for name in inputs], [name in names for name in outputs]


def check_positive(data: Dataset, names: Sequence[str]) -> None:
    """Raise where a field that has no logarithm is to be trained on or validated with."""
    if not names:
        return
    for split in ("train", "val"):
        for index in data.split(split):
            for name, values in _fields(data, int(index)):
                if name in names and not values.min(initial=np.inf) > 0:
                    raise DataError(
                        f"{data.problem.name}: sample {index}: {name} has a value of "
                        f"{values.min():g}; train.log needs values above 0"
                    )


def wide_fields(data: Dataset) -> dict[str, float]:
    """Fields above zero that span many decades, with the number of them."""
    train = data.split("train")
    low: dict[str, float] = {}
    high: dict[str, float] = {}
    for index in train[:: -(-len(train) // LOOKED_AT)]:
        for name, values in _fields(data, int(index)):
            if values.size:
                low[name] = min(low.get(name, np.inf), float(values.min()))
                high[name] = max(high.get(name, -np.inf), float(values.max()))
    spans = {name: np.log10(high[name] / low[name]) for name in low if low[name] > 0}
    return {name: float(span) for name, span in spans.items() if span > DECADES}


def _fields(data: Dataset, index: int) -> list[tuple[str, np.ndarray]]:
    """Inputs, parameters and outputs of a sample, where they exist."""
    sample, problem = data.sample(index), data.problem
    found = [(name, sample.inputs[..., c]) for c, name in enumerate(problem.input_names)]
    found += [
        (name, sample.parameters[c : c + 1]) for c, name in enumerate(problem.parameter_names)
    ]
    for channel, field in enumerate(problem.outputs):
        exists = sample.masks[field.mask] if field.mask else slice(None)
        found.append((field.name, sample.outputs[..., channel][..., exists]))
    return found
