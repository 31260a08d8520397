"""Flow through a pipe whose centerline somebody bends, by its knots and the slopes there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.solvers.base import Array
from llt.solvers.pipe import Centerline, Settings
from llt.solvers.pipe.centerline import draw_centerline, pipe_grid
from llt.view.live.kind import Control, Handles, Question
from llt.view.live.solving import Fields, solve_pipe

ARM = 0.2  # length of a slope's handle, in pieces


class Pipe(Handles):
    """See `kind.Kind`. Heights of all knots but the inlet's, then slopes of all, by handles."""

    def __init__(self, settings: Settings, stride: tuple[int, ...]) -> None:
        self.settings, self._every = settings, tuple(slice(None, None, k) for k in stride)
        pieces, piece = settings.pieces, settings.length / settings.pieces
        self.controls = [
            Control(f"height at x = {k * piece:g}", k * piece, 0.0, settings.max_height)
            for k in range(1, pieces + 1)
        ]
        # a handle rises by so much of the slope; that of the outlet is before it
        self._rise = ARM * np.where(np.arange(pieces + 1) < pieces, 1, -1)
        for k, rise in enumerate(self._rise):
            name, x = f"slope at x = {k * piece:g}", float((k + rise) * piece)
            self.controls.append(Control(name, x, 0.0, ARM * settings.max_slope, follows=k - 1))

    def about(self) -> dict[str, Any]:
        return {"kind": "pipe", "names": [control.name for control in self.controls]}

    def first(self) -> Array:
        """A bend as those of training are drawn."""
        settings, rng = self.settings, np.random.default_rng(0)
        line = draw_centerline(
            rng, settings.pieces, max_height=settings.max_height, max_slope=settings.max_slope
        )
        return np.concatenate([line.heights[1:], self._rise * line.slopes])

    def start(self, asked: Array) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        lines = [[c.follows, i] for i, c in enumerate(self.controls) if c.follows >= 0]
        return {**self.meta(asked), "lines": lines}, {}

    def question(self, asked: Array) -> Question:
        settings, line = self.settings, self._centerline(asked)
        points = pipe_grid(line, settings.elements, length=settings.length, width=settings.width)
        return Question(points=points[self._every])

    def job(self, asked: Array) -> tuple[Callable[..., Fields], tuple[Any, ...]]:
        return solve_pipe, (self._centerline(asked), self.settings, self._every)

    def focus(self, question: Question) -> list[list[float]]:
        """All that bends may reach, lest the picture jumps."""
        tall = self.settings.max_height + self.settings.width / 2
        return [[0.0, -tall], [self.settings.length, tall]]

    def _centerline(self, asked: Array) -> Centerline:
        pieces = self.settings.pieces
        return Centerline(np.concatenate([[0.0], asked[:pieces]]), asked[pieces:] / self._rise)
