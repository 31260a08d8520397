"""Files of simulation programs on the page: mesh and arrays of one, or of each in a folder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.errors import ConfigError, DataError
from llt.view.container import Parcel
from llt.view.parts import Parts
from llt.view.pictured import box_of, check_moment, in_space, relative_l2
from llt.view.series import Source
from llt.view.state import State

HELD = 2**29  # bytes of states that are kept
SPLIT = "file"


class MeshScene:
    """See `scene.Scene`; every file is a case."""

    live = None

    def __init__(self, name: Path, sources: Sequence[Source]) -> None:
        self.name, self._sources = name, sources
        self._kept: OrderedDict[tuple[int, int | None], State] = OrderedDict()
        self._lock = Lock()
        self._state(0, None)  # what is wrong with it is told before the page opens

    def about(self) -> dict[str, Any]:
        state, files = self._state(0, None), len(self._sources)
        return {
            "title": self.name.name,
            "what": "file",
            "name": str(self.name),
            "subtitle": f"{files:,} files" if files > 1 else f"{len(state.points):,} points",
            "problem": {
                "name": self.name.stem,
                "space_dim": state.points.shape[1],
                "grid": None,
            },
            "times": self._sources[0].times,
            "fields": [_about(name, parts, state) for name, parts in state.parts.items()],
            "vectors": [
                {"name": name, "components": parts} for name, parts in state.vectors.items()
            ],
            "deformed": None,
            "split": SPLIT,
            "splits": [SPLIT],
            "num_cases": len(self._sources),
            "first": "cases",
            "trust": None,
            "live": None,
        }

    def cases(self, split: str | None) -> dict[str, Any]:
        """Errors are known of files that were looked at."""
        _check_split(split)
        rows = [self._row(number) for number in range(len(self._sources))]
        return {"cases": rows, "sorted": "by name", "pending": 0}

    def _row(self, number: int) -> dict[str, Any]:
        with self._lock:
            state = next((one for (n, _), one in self._kept.items() if n == number), None)
        errors = {} if state is None else _errors(state.parts)
        return {
            "id": number,
            "label": self._sources[number].label,
            "error": None if len(errors) != 1 else next(iter(errors.values())),
            "errors": errors,
            "distance": None,
            "problem": "",
            "parameters": {},
            "points": None if state is None else len(state.points),
        }

    def mesh(self, split: str | None, number: int) -> Parcel:
        _check_split(split)
        state = self._state(number, None)
        bounds = box_of(state.points)
        meta = {
            "id": number,
            "label": self._sources[number].label,
            "dim": state.points.shape[1],
            "bounds": bounds,
            "focus": bounds,
            "up": "z",
            "surface": None,
        }
        return Parcel(meta, {"points": in_space(state.points), **state.shape.arrays()})

    def fields(self, split: str | None, number: int, moment: int | None) -> Parcel:
        _check_split(split)
        state, moments = self._state(number, moment), self._sources[number].times
        moment = check_moment(moment, moments)
        arrays = {
            f"{name}/{part}": values
            for name, parts in state.parts.items()
            for part, values in parts.items()
        }
        t = None if moments is None or moment is None else moments[moment]
        meta = {"time": t, "seconds": {}, "errors": _errors(state.parts)}
        return Parcel(meta, arrays)

    def close(self) -> None:
        self._kept.clear()

    def _state(self, number: int, moment: int | None) -> State:
        if not 0 <= number < len(self._sources):
            raise ConfigError(f"no case {number}; there are {len(self._sources)}")
        moments = self._sources[number].times
        moment = check_moment(moment, moments)
        with self._lock:
            if (number, moment) in self._kept:
                self._kept.move_to_end((number, moment))
                return self._kept[number, moment]
        state = State.of(self._sources[number].draw(moment))
        if moments is not None:
            self._check_mesh(number, state)
        with self._lock:
            self._kept[number, moment] = state
            while len(self._kept) > 1 and self._bytes() > HELD:
                self._kept.popitem(last=False)
        return state

    def _check_mesh(self, number: int, state: State) -> None:
        """Fields of all times are drawn on one mesh."""
        with self._lock:
            other = next((one for (n, _), one in self._kept.items() if n == number), state)
        if len(other.points) != len(state.points):
            raise DataError(
                f"{self._sources[number].label}: has {len(state.points)} points at this time, "
                f"{len(other.points)} at another; the mesh must stay the same"
            )

    def _bytes(self) -> int:
        return sum(state.num_bytes for state in self._kept.values())


def _check_split(split: str | None) -> None:
    if split not in (None, SPLIT):
        raise ConfigError(f"no split {split!r}; there are: {SPLIT}")


def _about(name: str, parts: dict[str, NDArray[Any]], state: State) -> dict[str, Any]:
    values = parts.get("truth", parts.get("prediction"))
    there = np.empty(0) if values is None else values[np.isfinite(values)]
    return {
        "name": name,
        "unit": _unit(name, state.units),
        "role": "output",
        "parts": [part for part in ("truth", "prediction", "error", "bar") if part in parts],
        "mask": "",
        "range": [float(there.min()), float(there.max())] if there.size else None,
    }


def _unit(name: str, units: dict[str, str]) -> str:
    """Of a field or, as a component, of its vector."""
    return units.get(name) or units.get(name[:-2], "")


def _errors(parts: Parts) -> dict[str, float]:
    found = {
        name: relative_l2(own["error"], own["truth"])
        for name, own in parts.items()
        if {"truth", "error"} <= own.keys()
    }
    return {name: error for name, error in found.items() if error is not None}
