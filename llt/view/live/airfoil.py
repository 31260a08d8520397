"""Transonic flow around an airfoil that somebody bends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.solvers.airfoil import Settings
from llt.solvers.airfoil.geometry import BOX_X, BOX_Y, airfoil, c_grid, stations
from llt.solvers.base import Array
from llt.view.live.kind import Control, Handles, Question
from llt.view.live.solving import Fields, solve_airfoil

NEAR = [[-0.5, -0.6], [1.5, 0.6]]  # the airfoil and what is around it


class Airfoil(Handles):
    """See `kind.Kind`. The lower left control node stays where it is, as in the training data."""

    def __init__(self, settings: Settings, stride: tuple[int, ...]) -> None:
        self.settings, self._every = settings, tuple(slice(None, None, k) for k in stride)
        sides = ("lower", "upper")
        nodes = [(side, x, y) for side, y in zip(sides, BOX_Y, strict=True) for x in BOX_X]
        self.controls = [
            Control(f"{side} node at x = {x:g}", float(x), float(y), settings.displacement)
            for side, x, y in nodes[1:]
        ]

    def about(self) -> dict[str, Any]:
        return {"kind": "airfoil", "names": [control.name for control in self.controls]}

    def first(self) -> Array:
        return np.zeros(len(self.controls))

    def start(self, asked: Array) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        # the upper nodes, and the lower ones, hang together
        lines = [[0, 1], [1, 2], [3, 4], [4, 5], [5, 6]]
        return {**self.meta(asked), "lines": lines}, {}

    def question(self, asked: Array) -> Question:
        wake, panels = self.settings.wake, self.settings.panels
        outline = airfoil(stations(panels), _displacements(asked))
        points = c_grid(outline, wake=wake, layers=self.settings.layers, first=1 / panels)
        return Question(points=points[self._every])

    def job(self, asked: Array) -> tuple[Callable[..., Fields], tuple[Any, ...]]:
        return solve_airfoil, (_displacements(asked), self.settings, self._every)

    def focus(self, question: Question) -> list[list[float]]:
        return NEAR


def _displacements(asked: Array) -> Array:
    return np.concatenate([[0.0], asked]).reshape(2, 4)
