"""Darcy flow through a medium that somebody paints."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.errors import ConfigError
from llt.solvers import random_field
from llt.solvers.base import Array
from llt.solvers.darcy import Settings, linear_maps
from llt.surrogate import Surrogate
from llt.view.live.kind import Question
from llt.view.live.solving import Fields, solve_painting

SIDES = (43, 61)  # points a side, for answers that come at once
BUDGET = 0.15  # seconds for one of these
SHARE = 0.3  # of the last answer in what the next is expected to take


@dataclass(frozen=True)
class Painting:
    high: NDArray[np.bool_]  # (n, n) where the permeability is high, on the grid of training
    fine: bool = True  # answered there, not on a coarser grid


class Darcy:
    """See `kind.Kind`."""

    def __init__(self, surrogate: Surrogate, settings: Settings) -> None:
        grid = surrogate.problem.grid
        assert grid is not None
        self.surrogate, self.settings, self.side = surrogate, settings, grid[0]
        self._sides = [side for side in SIDES if side < self.side] or [self.side]
        self._per_point = 0.0  # seconds; unknown at first

    def about(self) -> dict[str, Any]:
        values = [self.settings.low, self.settings.high]
        return {"kind": "darcy", "grid": [self.side, self.side], "values": values}

    def first(self) -> Painting:
        """A medium as those of training are drawn."""
        settings = self.settings
        maps, rng = linear_maps(settings), np.random.default_rng(0)
        noise = random_field.white_noise(rng, settings.resolution)
        field = random_field.evaluate(noise, maps.sigma, maps.basis)
        return Painting(field[:: settings.stride, :: settings.stride] >= 0)

    def start(self, asked: Painting) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {}, {"permeability": asked.high.astype(np.uint8).reshape(-1)}

    def read(self, asked: Mapping[str, Any]) -> Painting:
        shape, text, fine = asked.get("shape"), asked.get("permeability"), asked.get("fine", False)
        if shape != [self.side, self.side]:
            raise ConfigError(f"shape: expected [{self.side}, {self.side}], got {str(shape)[:40]}")
        if not isinstance(fine, bool):
            raise ConfigError("fine: expected true or false")
        if not isinstance(text, str):
            raise ConfigError("permeability: expected base64 text")
        try:
            content = b64decode(text, validate=True)
        except (Base64Error, ValueError):
            raise ConfigError("permeability: not base64") from None
        values = np.frombuffer(content, np.uint8)
        if values.size != self.side**2 or values.max() > 1:
            raise ConfigError(f"permeability: expected {self.side**2} bytes that are 0 or 1")
        return Painting(values.reshape(self.side, self.side) == 1, fine)

    def question(self, asked: Painting) -> Question:
        side = self.side if asked.fine else self._affordable()
        near = np.rint(np.linspace(0, self.side - 1, side)).astype(int)
        high = asked.high[np.ix_(near, near)]
        points = self.surrogate.mesh_on((side, side)).cpu().numpy().reshape(side, side, 2)
        return Question(points=points, inputs={"permeability": self._values(high)})

    def note(self, question: Question, seconds: float) -> None:
        each = seconds / question.points[..., 0].size
        before = self._per_point or each
        self._per_point = (1 - SHARE) * before + SHARE * each

    def _affordable(self) -> int:
        """The finest grid that is answered at once, as far as known."""
        fits = [side for side in self._sides if side**2 * self._per_point <= BUDGET]
        return max(fits, default=self._sides[0])

    def quick(self, asked: Painting) -> Painting:
        return Painting(asked.high, fine=False)

    def fine(self, asked: Painting) -> Painting:
        return Painting(asked.high)

    def job(self, asked: Painting) -> tuple[Callable[..., Fields], tuple[Any, ...]]:
        return solve_painting, (self._values(asked.high), self.settings)

    def focus(self, question: Question) -> None:
        return None

    def _values(self, high: NDArray[np.bool_]) -> Array:
        return np.where(high, self.settings.high, self.settings.low)
