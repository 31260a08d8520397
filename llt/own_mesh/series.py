"""A case in files as the beginning of a rollout: its first frames, and which are to follow.

A case that has more frames than the model needs is rolled out over its own times, and compared
with them; one that has no more, over as many as were trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.folder.cases import Case
from llt.data.folder.sample import Reader
from llt.data.folder.states import read_state
from llt.data.formats.mesh import time_index
from llt.data.frames import Frames
from llt.errors import DataError
from llt.surrogate import Surrogate

Array = NDArray[Any]
Times = float | list[float] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """What a rollout is asked of one case; those frames that are given are the first."""

    first: dict[str, Array]  # outputs, (h, N) or (h, *grid)
    masks: dict[str, Array]
    times: tuple[float, ...]  # of all frames
    rows: tuple[int, ...]  # of them: those that are asked for

    @property
    def history(self) -> int:
        return len(next(iter(self.first.values())))

    def given(self, number: int) -> bool:
        """Whether a frame that is asked for is one of the first."""
        return self.rows[number] < self.history

    def predict(self, surrogate: Surrogate, points: Array, inputs: Any, **how: Any) -> Any:
        """The frames that are asked for, by field, one after the other."""
        steps = len(self.times) - self.history
        sizes = np.diff(self.times)[self.history - 1 :]
        u = surrogate.rollout(points, inputs, self.first, steps, masks=self.masks, dt=sizes, **how)
        rows = [*self.rows]
        return {name: np.concatenate([self.first[name], z])[rows] for name, z in u.items()}


def begin(
    case: Case,
    reader: Reader,
    frames: Frames,
    own: Sequence[float],
    shape: tuple[int, ...],
    *,
    steps: int | None,
    asked: Times,
) -> Series:
    """Read the first frames.

    Args:
        own: times of the case.
        shape: of its fields, (N,) or the grid.
        steps: to predict; None: as many as the case has, or as were trained on.
        asked: times of those that are wanted; None: of all.
    """
    h, count = frames.history, len(own) or 1
    if count < h:
        raise DataError(
            f"{case.where}: {count} frames, the model needs {h} to begin with; files of one case "
            "go into a folder of its own, in the folder that is given"
        )
    frames.check_steps(own, case.where)
    states = [read_state(case, time) for time in own[:h]] or [read_state(case)]
    u = np.stack([reader.outputs(state) for state in states]).astype(np.float32)
    names = [name for source in reader.plan.outputs for name in source.channels]
    steps = (len(own) - h if len(own) > h else len(frames.times) - h) if steps is None else steps
    times = tuple(frames.later(own, steps, case.where).tolist())
    return Series(
        first={name: u[..., i].reshape(-1, *shape) for i, name in enumerate(names)},
        masks={name: reader.masks[name].reshape(shape) for name in frames.cases.mask_names},
        times=times,
        rows=_rows(times, asked, case.where),
    )


def _rows(times: tuple[float, ...], asked: Times, where: str) -> tuple[int, ...]:
    if asked is None:
        return tuple(range(len(times)))
    try:
        wanted = asked if isinstance(asked, list) else [asked]
        return tuple(time_index(times, time) for time in wanted)
    except DataError as error:
        raise DataError(f"{where}: {error}") from None
