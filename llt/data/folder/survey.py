"""What a folder holds, told from a look at some of its cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.folder.boxes import mix_ups
from llt.data.folder.cases import Found
from llt.data.folder.look import CELLS, POINTS, Look, Span, look
from llt.errors import DataError

MOST = 8  # cases that are looked at
FLAT = 1e-6  # of the largest edge: a box that is not thicker is a plane
CLOSE = 1e-6  # of the last time: times that differ by less are the same


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """A field of some or all of the cases that were looked at."""

    name: str
    location: str  # points or cells
    components: int  # 0: it has no axis of components
    low: NDArray[np.float64]  # (C,)
    high: NDArray[np.float64]
    unit: str
    num_cases: int

    def to_dict(self) -> dict[str, Any]:
        about = {"name": self.name, "location": self.location, "unit": self.unit}
        spans = {"low": self.low.tolist(), "high": self.high.tolist()}
        return {**about, "components": self.components, **spans, "cases": self.num_cases}


@dataclass(frozen=True, kw_only=True, slots=True)
class Survey:
    """Of a folder; all but the cases' names is told from those that were looked at."""

    found: Found
    looks: tuple[Look, ...]
    bad: Mapping[str, str]  # cases that could not be read, and why
    quantities: tuple[Quantity, ...]

    @property
    def folder(self) -> Path:
        return self.found.folder

    @property
    def name(self) -> str:
        """Of the folder, or of the file of stacked arrays."""
        path = self.folder.resolve()
        return path.name if path.is_dir() else path.stem

    @property
    def names(self) -> list[str]:
        return [case.name for case in self.found.cases]

    def box(self, location: str = POINTS) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Corners, (S, d) both; around points where a case has no cells."""
        boxes = [one.boxes.get(location, one.boxes[POINTS]) for one in self.looks]
        dim = min(len(low) for low, _ in boxes)
        corners = np.array([(low[:dim], high[:dim]) for low, high in boxes])  # (S, 2, d)
        return corners[:, 0], corners[:, 1]

    def axes(self, location: str = POINTS) -> str:
        """Those along which places differ; without the one of a plane, or of one layer of cells."""
        low, high = self.box(location)
        edges, names = high - low, "xyz"[: low.shape[1]]
        scale = FLAT * edges.max()
        flat = [
            axis
            for axis in range(len(names))
            if edges[:, axis].max() <= scale and np.ptp(low[:, axis]) <= scale
        ]
        if len(names) < 3 or len(flat) != 1:
            return names
        return names.replace(names[flat[0]], "")

    @property
    def shared(self) -> bool:
        """Whether all cases have the same points."""
        return len({one.places for one in self.looks}) == 1

    @property
    def grid(self) -> tuple[int, ...] | None:
        """Points per axis, where all cases have the same structured grid."""
        grids = {one.grid for one in self.looks}
        return grids.pop() if len(grids) == 1 else None

    @property
    def times(self) -> tuple[float, ...]:
        """Those that all cases have; () where they differ, or there is one state only."""
        first = self.looks[0].times
        return first if all(same_times(first, one.times) for one in self.looks) else ()

    @property
    def partly(self) -> list[str]:
        """Fields that only some cases have."""
        return [field.name for field in self.quantities if field.num_cases < len(self.looks)]

    @property
    def patches(self) -> dict[str, int]:
        """In how many cases a patch is."""
        names = dict.fromkeys(name for one in self.looks for name in one.patches)
        return {name: sum(name in one.patches for one in self.looks) for name in names}

    @property
    def numbers(self) -> dict[str, tuple[float, float]]:
        """Ranges of the numbers that all cases have in their files."""
        first = self.looks[0].numbers
        names = [name for name in first if all(name in one.numbers for one in self.looks)]
        values = {name: [one.numbers[name] for one in self.looks] for name in names}
        return {name: (min(found), max(found)) for name, found in values.items()}

    @property
    def warnings(self) -> list[str]:
        low, high = self.box()
        return mix_ups([one.name for one in self.looks], low, high)


def survey(found: Found, *, most: int = MOST, advance: Callable[[], None] = lambda: None) -> Survey:
    """Look at so many cases, spread over the folder."""
    count = len(found.cases)
    chosen = sorted({round(i) for i in np.linspace(0, count - 1, min(most, count))})
    looks, bad = [], {}
    for case in (found.cases[i] for i in chosen):
        try:
            looks.append(look(case))
        except DataError as error:
            bad[case.name] = str(error)
        advance()
    if not looks:
        raise DataError(next(iter(bad.values())))
    return Survey(found=found, looks=tuple(looks), bad=bad, quantities=_quantities(looks))


def same_times(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return len(a) == len(b) and bool(
        np.allclose(a, b, rtol=0, atol=CLOSE * max(map(abs, a), default=0))
    )


def _quantities(looks: list[Look]) -> tuple[Quantity, ...]:
    keys = dict.fromkeys(key for one in looks for key in one.fields)
    order = (POINTS, CELLS)
    return tuple(
        _quantity(location, name, [one for one in looks if (location, name) in one.fields])
        for location, name in sorted(keys, key=lambda key: order.index(key[0]))
    )


def _quantity(location: str, name: str, looks: list[Look]) -> Quantity:
    """As most cases have it; those that have it otherwise are named when they are read."""
    sizes = Counter(_size(one.fields[location, name]) for one in looks)
    size = sizes.most_common(1)[0][0]
    spans = [one.fields[location, name] for one in looks]
    spans = [span for span in spans if _size(span) == size]
    units = Counter(unit for one in looks if (unit := one.units.get(name, "")))
    return Quantity(
        name=name,
        location=location,
        components=size,
        low=np.fmin.reduce([span.low for span in spans]),
        high=np.fmax.reduce([span.high for span in spans]),
        unit=units.most_common(1)[0][0] if units else "",
        num_cases=len(spans),
    )


def _size(span: Span) -> int:
    return len(span.low) if span.vector else 0
