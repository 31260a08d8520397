"""Predictions as arrays of a file: vectors joined again, beside the truth where it is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.folder.plan import Source
from llt.data.formats import Mesh
from llt.own_mesh.question import FileQuestion, known_answer

PREDICTED, ERROR, BAR = "_pred", "_error", "_bar"
Array = NDArray[Any]


def joined(source: Source, u: Mapping[str, Array]) -> Array:
    """A field as the files have it, (N,) or (N, C), from channels; what a plane lacks is zero."""
    channels = np.stack([np.asarray(u[name], np.float32).ravel() for name in source.channels], -1)
    if not source.size:
        return channels[:, 0]
    field = np.zeros((len(channels), source.size), np.float32)
    field[:, source.components] = channels
    return field


class Answer:
    """One state: what is predicted, how far off it may be, and what the file knows of it.

    Args:
        bars: error bars of channels by name, where there are some.
    """

    def __init__(
        self,
        question: FileQuestion,
        u: Mapping[str, Array],
        mesh: Mesh | None,
        bars: Mapping[str, float],
    ) -> None:
        self.predicted: dict[str, Array] = {}
        self.known: dict[str, Array] = {}
        self.bars: dict[str, Array] = {}
        for source in question.reader.plan.outputs:
            field = joined(source, u)
            mask = question.reader.masks.get(source.mask)
            if mask is not None:
                field[~mask] = np.nan  # it does not exist there
            self.predicted[source.name] = field
            if bars.keys() >= {*source.channels}:
                wide = {name: np.full(len(field), bars[name]) for name in source.channels}
                self.bars[source.name] = np.where(np.isnan(field), field, joined(source, wide))
            truth = None if mesh is None else known_answer(question, source, mesh)
            if truth is not None:
                self.known[source.name] = truth.reshape(field.shape)

    def arrays(self) -> dict[str, Array]:
        """NAME_pred; NAME_error, prediction minus truth; NAME_bar, half-width of the error bar."""
        found = {f"{name}{PREDICTED}": field for name, field in self.predicted.items()}
        for name, truth in self.known.items():
            found[f"{name}{ERROR}"] = (self.predicted[name] - truth).astype(np.float32)
        return found | {f"{name}{BAR}": bar for name, bar in self.bars.items()}

    def squares(self, name: str) -> tuple[float, float]:
        """Sums of squares of the error and of the truth, where both are numbers."""
        truth = self.known[name].astype(np.float64)
        error = self.predicted[name] - truth
        there = np.isfinite(error)
        return float((error[there] ** 2).sum()), float((truth[there] ** 2).sum())
