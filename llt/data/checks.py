"""What is wrong with a dataset or a sample, told in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from llt.data.sample import Sample
from llt.errors import DataError, unknown
from llt.problem import Problem

if TYPE_CHECKING:
    from llt.data.dataset import Dataset


def check_shapes(data: Dataset) -> None:
    problem, rows = data.problem, data.outputs.shape[:-1]
    where = problem.name
    timed = problem.timed or data.view is not None
    if timed != (data.times is not None):
        raise DataError(f"{where}: output times are needed exactly on timed problems")
    if data.times is not None:
        axis = 0 if data.ragged else 1
        shape = data.outputs.shape
        if len(shape) != (3 if data.ragged else 4) or shape[axis] != len(data.times):
            raise DataError(f"{where}: outputs {shape} for {len(data.times)} times")
        rows = (*rows[:axis], *rows[axis + 1 :])
        if not np.isfinite(data.times).all():
            raise DataError(f"{where}: times hold NaN or infinity")
    if data.offsets is not None and (len(rows) != 1 or data.offsets[-1] != rows[0]):
        raise DataError(f"{where}: offsets end at {data.offsets[-1]}, outputs {data.outputs.shape}")
    if data.offsets is not None:
        _check_offsets(data.offsets, where)
    timed_rows = data.outputs.shape[:-1]
    if data.inputs.shape[:-1] not in (rows, timed_rows):
        raise DataError(f"{where}: inputs {data.inputs.shape} do not fit outputs' samples {rows}")
    if data.points.shape[:-1] not in (rows, rows[-1:]):
        raise DataError(f"{where}: points {data.points.shape} do not fit outputs' samples {rows}")
    if problem.num_points is not None and rows[-1] != problem.num_points:
        raise DataError(f"{where}: {rows[-1]} points for the grid {problem.grid}")
    channels = (data.points.shape[-1], data.inputs.shape[-1], data.outputs.shape[-1])
    right = (problem.space_dim, len(problem.inputs), len(problem.outputs))
    if channels != right:
        raise DataError(f"{where}: channels of points, inputs, outputs are {channels}, not {right}")
    _check_masks(problem, data.masks)
    for name, mask in data.masks.items():
        if mask.shape not in (rows, rows[-1:]):
            raise DataError(f"{where}: mask {name!r} {mask.shape} does not fit samples {rows}")
    _check_weights(problem, data.weights)
    for name, array in data.weights.items():
        if array.shape not in (rows, rows[-1:]):
            raise DataError(f"{where}: weights {name!r} {array.shape} do not fit samples {rows}")
    _check_numbers(problem, data, (len(data),))


def _check_offsets(offsets: NDArray[Any], where: str) -> None:
    """Samples that overlap would let the test split into the training."""
    if offsets.ndim != 1 or offsets.dtype.kind not in "iu" or len(offsets) < 2:
        raise DataError(
            f"{where}: offsets {offsets.shape} of type {offsets.dtype}, expected integers (S + 1,)"
        )
    steps = np.diff(offsets.astype(np.int64))
    if offsets[0] != 0 or steps.min() < 1:
        first = 0 if offsets[0] != 0 else int(np.argmax(steps < 1))
        ends = f"from {offsets[first]} to {offsets[first + 1]}"
        raise DataError(f"{where}: sample {first} has rows {ends}; offsets rise, from 0")


def check_times(times: NDArray[Any], where: str) -> None:
    """Of new data only: older files may have them in any order and can still be read."""
    falls = np.flatnonzero(np.diff(times) <= 0)
    if falls.size:
        before, after = times[falls[0] :][:2]
        raise DataError(f"{where}: times must increase, {before:g} is followed by {after:g}")


def check_sample(
    sample: Sample, problem: Problem, times: NDArray[np.float64] | None, index: int
) -> None:
    """Check a sample by itself, before it goes into a file or when it comes out of one."""
    num_points, where = len(sample.points), f"{problem.name}: sample {index}"
    if problem.num_points not in (None, num_points):
        raise DataError(f"{where}: {num_points} points for the grid {problem.grid}")
    moments = () if times is None else (len(times),)
    right = (num_points, len(problem.inputs))
    shapes = {
        "points": {(num_points, problem.space_dim)},
        "inputs": {right, (*moments, *right)},
        "outputs": {(*moments, num_points, len(problem.outputs))},
    }
    for name, fits in shapes.items():
        shape = getattr(sample, name).shape
        if shape not in fits:
            raise DataError(f"{where}: {name} {shape}, expected {' or '.join(map(str, fits))}")
    _check_masks(problem, sample.masks)
    for name, mask in sample.masks.items():
        if mask.shape != (num_points,):
            raise DataError(f"{where}: mask {name!r} {mask.shape} for {num_points} points")
    _check_weights(problem, sample.weights)
    for name, array in sample.weights.items():
        if array.shape != (num_points,):
            raise DataError(f"{where}: weights {name!r} {array.shape} for {num_points} points")
        if not np.isfinite(array).all():
            raise DataError(f"{where}: weights {name!r} hold NaN or infinity")
    _check_numbers(problem, sample, ())
    for name in ("points", "inputs", "outputs", "parameters", "derived"):
        check_finite(name, getattr(sample, name), problem, place=f"sample {index}")


def check_finite(
    name: str, array: NDArray[Any], problem: Problem, *, rows: bool = False, place: str = ""
) -> None:
    """`rows`: the first axis counts rows rather than samples."""
    if np.isfinite(array).all():
        return
    bad = ~np.isfinite(array)
    at = np.argwhere(bad)[0]
    fields = "xyz" if name == "points" else [field.name for field in getattr(problem, name)]
    what = "NaN" if np.isnan(array[tuple(at)]) else "infinity"
    shared = name == "points" and array.ndim == 2
    place = place or (f"row {at[0]}" if rows or shared else f"sample {at[0]}")
    raise DataError(
        f"{problem.name}: {name} {fields[at[-1]]!r} holds {what} in {place} "
        f"({int(bad.sum())} such values)"
    )


def _check_masks(problem: Problem, masks: Any) -> None:
    for name in problem.mask_names:
        if name not in masks:
            raise DataError(f"{problem.name}: {unknown('mask', name, masks or ['(none)'])}")


def _check_weights(problem: Problem, weights: Any) -> None:
    for name in weights:
        number, _, output = name.partition("/")
        if number not in problem.derived_names:
            known = problem.derived_names or ["(none)"]
            raise DataError(f"{problem.name}: weights of {unknown('number', number, known)}")
        if output not in problem.output_names:
            raise DataError(
                f"{problem.name}: weights of {unknown('output', output, problem.output_names)}"
            )


def _check_numbers(problem: Problem, holder: Any, lead: tuple[int, ...]) -> None:
    for name in ("parameters", "derived"):
        shape, right = getattr(holder, name).shape, (*lead, len(getattr(problem, name)))
        if shape != right:
            raise DataError(f"{problem.name}: {name} have shape {shape}, expected {right}")
