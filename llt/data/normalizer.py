"""Scaling between physical units and what a model sees. Fitted on the training split only.

Coordinates go to the unit box, fields to zero mean and unit variance per channel (over samples
and points, as the benchmark's protocols do), times to [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from llt.data.dataset import Dataset


class Normalizer(nn.Module):
    """A module without parameters, so that its numbers follow the model to the device."""

    x_low: Tensor
    x_size: Tensor
    a_mean: Tensor
    a_std: Tensor
    u_mean: Tensor
    u_std: Tensor
    t_range: Tensor  # low, size

    def __init__(self, **statistics: Any) -> None:
        super().__init__()
        for name in Normalizer.__annotations__:
            value = torch.as_tensor(statistics[name], dtype=torch.float32)
            self.register_buffer(name, value, persistent=False)

    @classmethod
    def fit(cls, data: Dataset) -> Normalizer:
        train = data.split("train")
        if data.ragged:
            samples = [data.sample(i) for i in train]
            points = np.concatenate([sample.points for sample in samples])
            inputs = np.concatenate([sample.inputs for sample in samples])
            outputs = np.concatenate([sample.outputs for sample in samples])
        else:
            points = data.points if data.shared_points else data.points[train]
            inputs, outputs = data.inputs[train], data.outputs[train]
        rows = points.reshape(-1, points.shape[-1])
        low = rows.min(axis=0)
        a_mean, a_std = _moments(inputs)
        u_mean, u_std = _moments(outputs)
        times = data.times if data.times is not None else np.array([0.0, 1.0])
        return cls(
            x_low=low,
            x_size=_nonzero(rows.max(axis=0) - low),
            a_mean=a_mean,
            a_std=a_std,
            u_mean=u_mean,
            u_std=u_std,
            t_range=(times.min(), float(np.ptp(times)) or 1.0),
        )

    def encode_points(self, x: Tensor) -> Tensor:
        return (x - self.x_low) / self.x_size

    def encode_inputs(self, a: Tensor) -> Tensor:
        return (a - self.a_mean) / self.a_std

    def encode_time(self, t: Tensor) -> Tensor:
        return (t - self.t_range[0]) / self.t_range[1]

    def decode(self, u: Tensor) -> Tensor:
        """From the model's output to physical units, in float32."""
        return u.float() * self.u_std + self.u_mean

    def to_dict(self) -> dict[str, list[float]]:
        return {name: getattr(self, name).tolist() for name in Normalizer.__annotations__}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Normalizer:
        return cls(**value)


def _moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    over = tuple(range(values.ndim - 1))  # all but the channels, of which there may be none
    mean, std = (f(values, axis=over, dtype=np.float64) for f in (np.mean, np.std))
    return mean, _nonzero(std)


def _nonzero(scale: np.ndarray) -> np.ndarray:
    """A constant field carries no scale; one leaves it as it is."""
    return np.where(scale > 0, scale, 1.0)
