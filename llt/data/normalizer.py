"""Scaling between physical units and what a model sees. Fitted on the training split only.

Coordinates go to the unit box (on meshes with a far field, their bulk does), with small differences
between meshes amplified; fields to zero mean and unit variance per channel (over samples and
points, as the benchmark's protocols do), those that are asked for as logarithms; times to [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from llt.data.dataset import Dataset
from llt.data.logarithm import Logarithms, check_positive, log_channels
from llt.errors import CheckpointError

FAR = 4.0
MOST_POINTS = 2**24  # for the quantiles of coordinates; no benchmark has more
VISIBLE = 0.1  # root mean square of deviations from the mean mesh, in the unit box


class Normalizer(nn.Module):
    """A module without parameters, so that its numbers follow the model to the device."""

    x_low: Tensor
    x_size: Tensor
    a_mean: Tensor
    a_std: Tensor
    u_mean: Tensor
    u_std: Tensor
    t_range: Tensor  # low, size

    def __init__(
        self,
        *,
        gain: float = 1.0,
        a_log: Sequence[bool] = (),
        u_log: Sequence[bool] = (),
        **statistics: Any,
    ) -> None:
        """`a_log` and `u_log` say which channels are logarithms; empty: none of them."""
        super().__init__()
        self.a_log = Logarithms(a_log) if any(a_log) else None
        self.u_log = Logarithms(u_log) if any(u_log) else None
        self.gain = gain  # by which deviations from the mean mesh are amplified, see `_gain`
        for name in Normalizer.__annotations__:
            value = torch.as_tensor(statistics[name], dtype=torch.float32)
            self.register_buffer(name, value, persistent=False)

    @classmethod
    def fit(
        cls, data: Dataset, mean_field: np.ndarray | None = None, log: Sequence[str] = ()
    ) -> Normalizer:
        """One sample in memory at a time, so that the dataset may be larger than memory.

        Args:
            mean_field: what outputs (N, Cu) are measured from; of logarithms where they are.
            log: fields that are seen as logarithms.
        """
        train, problem = data.split("train"), data.problem
        check_positive(data, log)
        a_log, u_log = log_channels(problem, log)
        inputs = [_Moments() for _ in problem.inputs]
        outputs = [_Moments() for _ in problem.outputs]
        for sample in map(data.sample, train):
            u = logged(sample.outputs, u_log)
            u = u if mean_field is None else u - mean_field
            a = logged(sample.inputs, a_log[: len(inputs)])
            for channel, moments in enumerate(inputs):
                moments.add(a[..., channel])
            for channel, (field, moments) in enumerate(zip(problem.outputs, outputs, strict=True)):
                exists = sample.masks[field.mask] if field.mask else slice(None)
                moments.add(u[..., channel][..., exists])
        parameters = logged(data.parameters[train], a_log[len(inputs) :])
        for column in parameters.T:
            inputs.append(_Moments())
            inputs[-1].add(np.ascontiguousarray(column))
        # of changes from frame to frame, zero stands for none
        steps = data.view is not None and data.view.steps
        low, size = _box(_some_points(data))
        times = data.times if data.times is not None else np.array([0.0, 1.0])
        return cls(
            gain=_gain(data, size),
            a_log=a_log,
            u_log=u_log,
            x_low=low,
            x_size=size,
            a_mean=[moments.mean for moments in inputs],
            a_std=[moments.std for moments in inputs],
            u_mean=[0.0 if steps else moments.mean for moments in outputs],
            u_std=[moments.size if steps else moments.std for moments in outputs],
            t_range=(times.min(), float(np.ptp(times)) or 1.0),
        )

    def encode_points(self, x: Tensor) -> Tensor:
        return (x - self.x_low) / self.x_size

    def encode_inputs(self, a: Tensor) -> Tensor:
        if self.a_log is not None:
            a = self.a_log(a)
        return (a - self.a_mean) / self.a_std

    def encode_time(self, t: Tensor) -> Tensor:
        return (t - self.t_range[0]) / self.t_range[1]

    def decode(self, u: Tensor) -> Tensor:
        """From the model's output to physical units, in float32 at least; logarithms stay."""
        return (u if u.itemsize >= 4 else u.float()) * self.u_std + self.u_mean

    def as_learned(self, u: Tensor) -> Tensor:
        """Fields in physical units, as logarithms where they are learned so."""
        return u if self.u_log is None else self.u_log(u)

    def physical(self, u: Tensor) -> Tensor:
        """The inverse."""
        return u if self.u_log is None else self.u_log.inverse(u)

    def to_dict(self) -> dict[str, Any]:
        numbers = {name: getattr(self, name).tolist() for name in Normalizer.__annotations__}
        logs = {"a_log": self.a_log, "u_log": self.u_log}
        channels = {name: log.channels.tolist() for name, log in logs.items() if log is not None}
        return {"gain": self.gain, **channels, **numbers}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Normalizer:
        """From a checkpoint, which may have been tampered with."""
        for name, numbers in value.items():
            if not np.isfinite(np.asarray(numbers, float)).all():
                raise CheckpointError(f"normalizer: {name} is {numbers}")
        for name in ("x_size", "a_std"):  # a run that kept the mean has a u_std of zero
            if not np.all(np.asarray(value[name], float) > 0):
                raise CheckpointError(f"normalizer: {name} is {value[name]}, must be above 0")
        for name, numbers in (("a_log", "a_mean"), ("u_log", "u_mean")):
            if name in value and len(value[name]) != len(value[numbers]):
                raise CheckpointError(f"normalizer: {name} and {numbers} are of different lengths")
        return cls(**value)


def logged(values: np.ndarray, channels: Sequence[bool]) -> np.ndarray:
    """Values (..., C) with logarithms of some channels; 0 where a field does not exist."""
    if not any(channels):
        return values
    positive = np.where(np.array(channels) & (values > 0), values, 1)
    return np.where(channels, np.log(positive), values)


def _box(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corner and size of the box that becomes the unit box: the bounding box, as a rule.

    A mesh with a far field has most of its points in a small part of its bounding box (Airfoil:
    an airfoil of length 1 in a box of 80), and there all samples would look the same. Where the
    bounding box is more than four times as long as the middle half of the points, the box is
    twice as long as that middle half and around it; both rules agree on evenly spread points.
    """
    lowest, quarter, three_quarters, highest = np.quantile(points, (0, 0.25, 0.75, 1), axis=0)
    middle = three_quarters - quarter
    far = (highest - lowest > FAR * middle) & (middle > 0)
    low = np.where(far, quarter - middle / 2, lowest)
    return low, _nonzero(np.where(far, 2 * middle, highest - lowest))


def mean_mesh(data: Dataset) -> np.ndarray | None:
    """Mean position of every point of a structured mesh over the training samples: (N, d)."""
    if data.problem.grid is None:
        return None
    if data.mesh is not None:
        return data.mesh
    train = data.split("train")
    total = np.zeros_like(data.sample(train[0]).points)
    for sample in map(data.sample, train):
        total += sample.points
    return total / np.float32(len(train))


def mean_outputs(data: Dataset, log: Sequence[str] = ()) -> np.ndarray | None:
    """Mean of the outputs at every point of a structured mesh, over training samples and times.

    Of the fields in `log` it is the mean of their logarithms.
    """
    if data.problem.grid is None:
        return None
    train = data.split("train")
    check_positive(data, log)
    _, u_log = log_channels(data.problem, log)
    total = np.zeros(data.sample(train[0]).outputs.shape[-2:])
    for sample in map(data.sample, train):
        total += logged(sample.outputs, u_log).reshape(-1, *total.shape).mean(axis=0)
    return (total / len(train)).astype(np.float32)


def _gain(data: Dataset, size: np.ndarray) -> float:
    """How much the deviations of a structured mesh from its mean must grow to be seen.

    Where the geometry is the input, it is these deviations that tell samples apart, and they may
    be a hundredth of the mesh (Airfoil). They are brought to a tenth of the unit box.
    """
    mean = mean_mesh(data)
    if mean is None or data.shared_points:
        return 1.0
    squares = [
        np.mean(np.square((sample.points - mean) / size, dtype=np.float64))
        for sample in map(data.sample, data.split("train"))
    ]
    spread = float(np.sqrt(np.mean(squares)))
    return max(1.0, VISIBLE / spread) if spread > 0 else 1.0


def _some_points(data: Dataset) -> np.ndarray:
    """The training samples' points; of very many every k-th, and the corners of their box."""
    if data.mesh is not None:
        return data.mesh
    train = data.split("train")
    step = -(-int(data.counts[train].sum()) // MOST_POINTS)
    kept, corners = [], []
    for sample in map(data.sample, train):
        kept.append(sample.points[::step].copy())  # a view would keep the sample in memory
        if step > 1:
            corners += [sample.points.min(axis=0, keepdims=True)]
            corners += [sample.points.max(axis=0, keepdims=True)]
    return np.concatenate([*kept, *corners])


class _Moments:
    """Mean and standard deviation of numbers that come in parts."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self._squares = 0.0  # of deviations from the mean

    def add(self, values: np.ndarray) -> None:
        if not values.size:
            return
        mean = float(values.mean(dtype=np.float64))
        shift, before = mean - self.mean, self.count
        self.count += values.size
        self.mean += shift * values.size / self.count
        # parts are joined as by Chan, Golub and LeVeque, which loses no digits
        self._squares += float(np.square(values - np.float64(mean)).sum())
        self._squares += shift**2 * before * values.size / self.count

    @property
    def std(self) -> float:
        """A constant field carries no scale; one leaves it as it is."""
        return (self._squares / max(self.count, 1)) ** 0.5 or 1.0

    @property
    def size(self) -> float:
        """Root mean square, with the mean."""
        return (self._squares / max(self.count, 1) + self.mean**2) ** 0.5 or 1.0


def _nonzero(scale: np.ndarray) -> np.ndarray:
    """A flat direction carries no scale; one leaves it as it is."""
    return np.where(scale > 0, scale, 1.0)
