"""Derived numbers of predictions, as the drag of cars, beside those of the references.

They are there where a dataset has weights for them and no times.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from llt.data.dataset import Dataset
from llt.data.derived import derived_numbers


class DerivedNumbers:
    """Gathers those of predictions, batch by batch."""

    def __init__(self, data: Dataset, indices: NDArray[np.int64]) -> None:
        self.data, self.indices = data, indices
        self._predicted: dict[str, list[float]] = defaultdict(list)

    def see(self, items: Tensor, u: Tensor) -> None:
        """Predictions (B, N, Cu) of these places in the split, which come in order."""
        if not self.data.weights or self.data.times is not None:
            return
        for index, values in zip(self.indices[items.cpu().numpy()], u.cpu().numpy(), strict=True):
            sample = self.data.sample(int(index))
            found = derived_numbers(self.data.problem, sample, values[: len(sample.points)])
            for name, value in found.items():
                self._predicted[name].append(value)

    def compare(self) -> dict[str, dict[str, Any]]:
        """Of every number: how far predictions are off, and whether they rank the samples."""
        train = self.data.derived[self.data.split("train")]
        result = {}
        for name, values in self._predicted.items():
            column = self.data.problem.derived_names.index(name)
            predicted = np.array(values)
            reference = self.data.derived[self.indices, column].astype(np.float64)
            result[name] = {
                "relative_error": _relative_error(predicted, reference),
                "mean_number_error": _relative_error(train[:, column].mean(), reference),
                "rank_correlation": rank_correlation(predicted, reference),
                "predicted": predicted.tolist(),
                "reference": reference.tolist(),
            }
        return result


def rank_correlation(one: NDArray[Any], other: NDArray[Any]) -> float | None:
    """Spearman's; None where all numbers are the same, or there is one alone."""
    from scipy.stats import rankdata  # half a second, which most never need

    ranks = rankdata(one), rankdata(other)
    if min(np.ptp(part) for part in ranks) == 0:
        return None
    return float(np.corrcoef(*ranks)[0, 1])


def _relative_error(number: Any, reference: NDArray[Any]) -> float:
    """The mean of |c - C| / |C|; where C is 0, beside the mean of the others."""
    size = np.abs(reference)
    size = np.where(size > 0, size, size.mean() or 1.0)
    return float((np.abs(number - reference) / size).mean())
