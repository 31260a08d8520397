"""Many cases in one file of arrays by name: the first axis counts them.

points (N, d) or (*grid, d) that all cases share, or (S, N, d); fields (S, N), (S, N, C) or
(S, *grid), with `times` (S, T, N); numbers (S,), and several of them (S, P), which become NAME_1 to
NAME_P. What has no axis for the cases belongs to all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from llt.data.formats.array_file import (
    AXES,
    TIMES,
    Arrays,
    Units,
    load,
    mesh_of,
    take_points,
    times_in,
)
from llt.data.formats.mesh import Mesh
from llt.errors import DataError
from llt.runtime.reading import reading

SUFFIXES = (".npz", ".mat", ".h5", ".hdf5")
MOST = 64  # numbers of a case in one array


def is_stacked(path: Path) -> bool:
    """By suffix: what is given in the place of a folder is meant so."""
    return path.is_file() and path.suffix.lower() in SUFFIXES


def num_cases(path: Path) -> int:
    return _read(path).num


def read_times(path: Path) -> tuple[float, ...]:
    with reading(path):
        times = times_in(_read(path).arrays)
        return times if len(times) > 1 else ()


def read(path: Path, row: int, time: float | None = None) -> Mesh:
    """One case, as if it were alone in its file."""
    with reading(path):
        stack = _read(path)
        one: Arrays = {}
        for name, value in stack.arrays.items():
            if name in stack.numbers:
                one |= {f"{name}_{i}": part for i, part in enumerate(value[row], start=1)}
            else:
                one[name] = value[row] if name in stack.counted else value
        return mesh_of(one, stack.units, time)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stack:
    arrays: Arrays
    units: Units
    num: int  # of cases
    counted: frozenset[str]  # arrays that have an axis for them
    numbers: frozenset[str]  # those that hold several numbers of every case


def _read(path: Path) -> _Stack:
    with reading(path):
        about = path.stat()
        return _stack(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=1)  # cases are read one after the other
def _stack(path: Path, changed: int, size: int) -> _Stack:
    arrays, units = load(path)
    _, shape = take_points(dict(arrays))
    places = {"points"} if "points" in arrays else {*AXES} & arrays.keys()
    others = {n: v for n, v in arrays.items() if n not in (*places, TIMES) and v.ndim}
    num_times = len(times_in(arrays))
    fields = _fields(others, shape, num_times)
    own = not fields and len(shape) > 1  # every case has points of its own
    if own:
        fields = _fields(others, shape[1:], num_times)
    counts = {value.shape[0] for value in fields.values()} | ({shape[0]} if own else set())
    if not fields or len(counts) != 1:
        there = ", ".join(f"{name} {value.shape}" for name, value in arrays.items())
        raise DataError(
            "no cases along the first axis; expected points (N, d) or (S, N, d) and fields (S, N) "
            f"of S cases; arrays there: {there}"
        )
    counted = {name for name, value in others.items() if value.shape[0] in counts}
    few = {name for name in counted if others[name].ndim == 2 and others[name].shape[1] <= MOST}
    return _Stack(
        arrays=arrays,
        units=units,
        num=counts.pop(),
        counted=frozenset(counted | (places if own else set())),
        numbers=frozenset(few - fields.keys()),
    )


def _fields(others: Arrays, shape: tuple[int, ...], num_times: int) -> Arrays:
    """Arrays with one axis before those of the points, or two where there are times."""
    ends = (shape, (num_times, *shape)) if num_times else (shape,)
    return {
        name: value
        for name, value in others.items()
        if any(value.shape[1 : 1 + len(end)] == end for end in ends)
    }
