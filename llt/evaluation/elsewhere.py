"""Errors of vectors away from a set of points that others exist on alone: "velocity off surface".

What is known on a surface says little about the air around it, and the literature counts the air.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.dataset import Dataset
from llt.training.validation import relative_errors


class Elsewhere:
    """Gathers sums of squares of predictions, batch by batch."""

    def __init__(
        self,
        data: Dataset,
        indices: NDArray[np.int64],
        vectors: Mapping[str, tuple[int, ...]],
        guess: NDArray[np.float64],
    ) -> None:
        outputs = data.problem.outputs
        masks = data.problem.mask_names if data.times is None else ()
        self.data, self.indices, self.guess = data, indices, guess
        self.wanted = {
            f"{name} off {mask}": (mask, channels)
            for name, channels in vectors.items()
            if not any(outputs[channel].mask for channel in channels)
            for mask in masks
        }
        self._squares: dict[str, list[list[float]]] = defaultdict(list)

    def see(self, items: Tensor, u: Tensor) -> None:
        """Predictions (B, N, Cu) of these places in the split, which come in order."""
        if not self.wanted:
            return
        for index, values in zip(self.indices[items.cpu().numpy()], u.cpu().numpy(), strict=True):
            sample = self.data.sample(int(index))
            truth = sample.outputs.astype(np.float64)
            parts = values[: len(truth)] - truth, truth, truth - self.guess
            for name, (mask, channels) in self.wanted.items():
                off = np.ix_(~sample.masks[mask], np.array(channels))
                self._squares[name].append([float((part[off] ** 2).sum()) for part in parts])

    def errors(self) -> dict[str, tuple[Tensor, Tensor]]:
        """Of every sample: of predictions and of the mean field, (S,) each."""
        found = {}
        for name, rows in self._squares.items():
            error, target, guessed = torch.tensor(rows, dtype=torch.float64).T
            found[name] = relative_errors(error, target), relative_errors(guessed, target)
        return found
