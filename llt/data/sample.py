"""One solved instance of a problem, and its checksum."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]


def _no_numbers() -> Floats:
    return np.empty(0, np.float32)


@dataclass(frozen=True, slots=True)
class Sample:
    """One solved PDE instance."""

    points: Floats  # (N, d)
    inputs: Floats  # (N, Ca), or (T, N, Ca) where they change with time
    outputs: Floats  # (N, Cu), or (T, N, Cu) on timed problems
    masks: dict[str, Bools] = field(default_factory=dict)  # (N,), named sets of points
    parameters: Floats = field(default_factory=_no_numbers)  # numbers of the case that go in
    derived: Floats = field(default_factory=_no_numbers)  # numbers that follow from the solution
    weights: dict[str, Floats] = field(default_factory=dict)  # (N,), of outputs in derived numbers

    @property
    def given(self) -> Floats:
        """What a model is given: input fields, then case parameters as constant channels."""
        if not self.parameters.size:
            return self.inputs
        shape = (*self.inputs.shape[:-1], self.parameters.size)
        return np.concatenate([self.inputs, np.broadcast_to(self.parameters, shape)], axis=-1)

    def at(self, moment: int) -> Sample:
        """What a timed sample is at one of its times, given by its number."""
        inputs = self.inputs[moment] if self.inputs.ndim == 3 else self.inputs
        return replace(self, inputs=inputs, outputs=self.outputs[moment])

    def thinned(self, rows: NDArray[np.int64]) -> Sample:
        """What it is on some of its points."""
        return replace(
            self,
            points=self.points[rows],
            inputs=self.inputs.take(rows, axis=-2),
            outputs=self.outputs.take(rows, axis=-2),
            masks={name: mask[rows] for name, mask in self.masks.items()},
            weights={},  # sums over all points
        )

    def in_single_precision(self) -> Sample:
        """As it is stored: float32 numbers and boolean masks."""
        numbers = ("points", "inputs", "outputs", "parameters", "derived")
        return Sample(
            masks={name: np.asarray(mask, bool) for name, mask in self.masks.items()},
            weights={name: np.asarray(z, np.float32) for name, z in self.weights.items()},
            **{name: np.asarray(getattr(self, name), np.float32) for name in numbers},
        )


def checksum(sample: Sample) -> str:
    """Of all that a sample holds, whatever its dataset looks like: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    numbers = (sample.points, sample.inputs, sample.outputs, sample.parameters, sample.derived)
    masks = [(name, sample.masks[name]) for name in sorted(sample.masks)]
    weights = [(f"weights/{name}", sample.weights[name]) for name in sorted(sample.weights)]
    for name, array in [*(("", array) for array in numbers), *masks, *weights]:
        digest.update(f"{name}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]
