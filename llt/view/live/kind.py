"""What a live problem is: how a question is read, what the surrogate is asked, who solves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from llt.errors import ConfigError
from llt.solvers.base import Array
from llt.view.live.solving import Fields

Asked = TypeVar("Asked")


@dataclass(frozen=True, kw_only=True)
class Question:
    """What the surrogate is asked, on a grid."""

    points: Array  # (*grid, d)
    inputs: Mapping[str, Array] = field(default_factory=dict)  # (*grid)

    @property
    def grid(self) -> tuple[int, ...]:
        return self.points.shape[:-1]


class Kind(Protocol[Asked]):
    """One kind of live problem; what is asked of it is a value of a type of its own."""

    def about(self) -> dict[str, Any]:
        """For the page, `kind` among it."""
        ...

    def first(self) -> Asked: ...

    def start(self, asked: Asked) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What the page needs to begin with: meta and arrays."""
        ...

    def read(self, asked: Mapping[str, Any]) -> Asked:
        """From what somebody has sent, which may be anything."""
        ...

    def question(self, asked: Asked) -> Question: ...

    def note(self, question: Question, seconds: float) -> None:
        """How long an answer took."""
        ...

    def quick(self, asked: Asked) -> Asked:
        """The same where an answer comes at once."""
        ...

    def fine(self, asked: Asked) -> Asked:
        """The same on the grid that the solver's answer is on."""
        ...

    def job(self, asked: Asked) -> tuple[Callable[..., Fields], tuple[Any, ...]]:
        """A function for another process, which gives output fields (*grid), and its arguments."""
        ...

    def focus(self, question: Question) -> list[list[float]] | None:
        """The box of the picture, where it is not all of it."""
        ...


@dataclass(frozen=True)
class Control:
    """A handle that moves up and down."""

    name: str
    x: float
    y: float  # where it is at value 0, above the handle that it follows
    reach: float  # values are between -reach and reach
    follows: int = -1  # number of another handle


class Handles:
    """What all kinds share that are asked by the values of controls, always on the same grid."""

    controls: list[Control]

    def read(self, asked: Mapping[str, Any]) -> Array:
        """Values of all controls, each within its reach."""
        values = asked.get("controls")
        if not isinstance(values, list) or len(values) != len(self.controls):
            raise ConfigError(f"controls: expected a list of {len(self.controls)} numbers")
        for control, value in zip(self.controls, values, strict=True):
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not abs(value) <= control.reach:  # false for NaN, too
                raise ConfigError(
                    f"{control.name}: {str(value)[:20]} must be a number from {-control.reach:g} "
                    f"to {control.reach:g}"
                )
        return np.array(values, np.float64)

    def note(self, question: Question, seconds: float) -> None:
        pass

    def quick(self, asked: Array) -> Array:
        return asked

    def fine(self, asked: Array) -> Array:
        return asked

    def meta(self, values: Array) -> dict[str, Any]:
        return {
            "controls": [[c.x, c.y, -c.reach, c.reach] for c in self.controls],
            "values": values.tolist(),
            "follows": [c.follows for c in self.controls],
            "names": [c.name for c in self.controls],
        }
