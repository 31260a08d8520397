"""Files of simulation programs on the page: the mesh and arrays of one, or of each in a folder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.formats import Drawing, draw, times
from llt.errors import ConfigError, DataError
from llt.view.container import Parcel
from llt.view.parts import Parts, parts_of, vectors_of
from llt.view.pictured import box_of, check_moment, in_space, relative_l2
from llt.view.shape import Shape, outline, shape_of

HELD = 2**29  # bytes of states that are kept
FLAT = 1e-6  # of the largest edge: what is not thicker is in a plane
SPLIT = "file"


@dataclass(frozen=True)
class State:
    """One state of a file, ready to be drawn."""

    points: NDArray[Any]  # (N, 2 or 3)
    shape: Shape
    parts: Parts
    vectors: dict[str, list[str]]
    units: dict[str, str]

    @classmethod
    def of(cls, drawn: Drawing) -> State:
        mesh = drawn.mesh
        points = mesh.points
        if points.shape[1] == 3 and np.ptp(points[:, 2]) <= FLAT * np.ptp(points, axis=0).max():
            points = points[:, :2]
        if drawn.triangles is None:
            # a grid of one row is a line
            shape = shape_of(points, mesh.grid if mesh.grid and min(mesh.grid) > 1 else None, {})
        else:
            triangles = drawn.triangles.astype(np.uint32)
            shape = Shape(triangles, outline(points, triangles))
        arrays = {**mesh.point_fields, **drawn.at_points}
        parts = parts_of(arrays)
        # what was predicted comes first
        parts = dict(sorted(parts.items(), key=lambda item: "prediction" not in item[1]))
        return cls(points, shape, parts, vectors_of(arrays), dict(mesh.units))

    @property
    def num_bytes(self) -> int:
        fields = [z for parts in self.parts.values() for z in parts.values()]
        arrays = [self.points, *self.shape.arrays().values(), *fields]
        return sum(array.nbytes for array in arrays)


class MeshScene:
    """See `scene.Scene`; every file is a case."""

    live = None

    def __init__(self, name: Path, files: Sequence[Path]) -> None:
        self.name, self._files = name, files
        self._kept: OrderedDict[tuple[int, int | None], State] = OrderedDict()
        self._times: dict[int, list[float] | None] = {}
        self._lock = Lock()
        self._state(0, None)  # what is wrong with it is told before the page opens

    def about(self) -> dict[str, Any]:
        state, moments = self._state(0, None), self._times_of(0)
        count = f"{len(self._files):,} files" if len(self._files) > 1 else f"{len(state.points):,}"
        return {
            "title": self.name.name,
            "what": "file",
            "name": str(self.name),
            "subtitle": count if len(self._files) > 1 else f"{count} points",
            "problem": {
                "name": self.name.stem,
                "space_dim": state.points.shape[1],
                "grid": None,
            },
            "times": moments,
            "fields": [_about(name, parts, state) for name, parts in state.parts.items()],
            "vectors": [
                {"name": name, "components": parts} for name, parts in state.vectors.items()
            ],
            "deformed": None,
            "split": SPLIT,
            "splits": [SPLIT],
            "num_cases": len(self._files),
            "first": "cases",
            "trust": None,
            "live": None,
        }

    def cases(self, split: str | None) -> dict[str, Any]:
        """Errors are known of files that were looked at."""
        _check_split(split)
        rows = [self._row(number) for number in range(len(self._files))]
        return {"cases": rows, "sorted": "by name", "pending": 0}

    def _row(self, number: int) -> dict[str, Any]:
        with self._lock:
            state = next((one for (n, _), one in self._kept.items() if n == number), None)
        errors = {} if state is None else _errors(state.parts)
        return {
            "id": number,
            "label": self._files[number].name,
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
            "label": self._files[number].name,
            "dim": state.points.shape[1],
            "bounds": bounds,
            "focus": bounds,
            "up": "z",
            "surface": None,
        }
        return Parcel(meta, {"points": in_space(state.points), **state.shape.arrays()})

    def fields(self, split: str | None, number: int, moment: int | None) -> Parcel:
        _check_split(split)
        state, moments = self._state(number, moment), self._times_of(number)
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
        if not 0 <= number < len(self._files):
            raise ConfigError(f"no case {number}; there are {len(self._files)}")
        moments = self._times_of(number)
        moment = check_moment(moment, moments)
        with self._lock:
            if (number, moment) in self._kept:
                self._kept.move_to_end((number, moment))
                return self._kept[number, moment]
        t = None if moments is None or moment is None else moments[moment]
        state = State.of(draw(self._files[number], t))
        if moments is not None:
            self._check_mesh(number, state)
        with self._lock:
            self._kept[number, moment] = state
            while len(self._kept) > 1 and self._bytes() > HELD:
                self._kept.popitem(last=False)
        return state

    def _times_of(self, number: int) -> list[float] | None:
        if number not in self._times:
            self._times[number] = [*times(self._files[number])] or None
        return self._times[number]

    def _check_mesh(self, number: int, state: State) -> None:
        """Fields of all times are drawn on one mesh."""
        with self._lock:
            other = next((one for (n, _), one in self._kept.items() if n == number), state)
        if len(other.points) != len(state.points):
            raise DataError(
                f"{self._files[number]}: has {len(state.points)} points at this time, "
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
