"""Predictions for named arrays: one case or many, on the training mesh or another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.errors import DataError, unknown
from llt.problem import Problem
from llt.surrogate import Surrogate

Arrays = dict[str, NDArray[np.float32]]


def predict_arrays(
    surrogate: Surrogate,
    arrays: Mapping[str, NDArray[Any]],
    *,
    time: float | None = None,
    symmetrize: bool = False,
    where: str = "input",
) -> Arrays:
    """Output fields by name, shaped like the input fields, with the points they belong to.

    Fields are (N,) or (*grid) for one case, with a leading axis for many. `points` has the same
    shape and one more axis. Where all training samples share one structured mesh `points` may be
    left out: it is that mesh, interpolated to the grid of the fields. Case parameters are numbers,
    or arrays with one for each case; one case with many parameters is predicted for all of them.
    Only `points` and output fields come back, so an output may have the name of an input.
    `symmetrize` averages over the problem's symmetries, see `Surrogate.predict`.
    """
    problem = surrogate.problem
    for name in problem.input_names + problem.parameter_names:
        if name not in arrays:
            raise DataError(f"{where}: {_missing(name, arrays)}")
    fields = [np.asarray(arrays[name], dtype=np.float32) for name in problem.input_names]
    if len({field.shape for field in fields}) > 1:
        shapes = {n: f.shape for n, f in zip(problem.input_names, fields, strict=True)}
        raise DataError(f"{where}: input fields differ in shape: {shapes}")
    shape = fields[0].shape if fields else None
    points = _points(surrogate, arrays, shape, where)
    lead = points.shape[:-1] if shape is None else shape
    numbers = _numbers(problem, arrays, lead, where)
    lead = np.broadcast_shapes(lead, *(number.shape for number in numbers))
    channels = [np.broadcast_to(channel, lead) for channel in (*fields, *numbers)]
    a = np.stack(channels, axis=-1) if channels else None
    try:
        x = np.broadcast_to(points, (*lead, problem.space_dim))
        u = surrogate.predict(x, a, time, symmetrize=symmetrize)
    except DataError as error:
        raise DataError(f"{where}: {error}") from error
    outputs = {name: u[..., channel] for channel, name in enumerate(problem.output_names)}
    return {"points": points, **outputs}


def _numbers(
    problem: Problem, arrays: Mapping[str, NDArray[Any]], lead: tuple[int, ...], where: str
) -> list[NDArray[np.float32]]:
    """Case parameters, shaped so that they spread over the points of their cases."""
    flat = len(lead) <= 2 and lead[-1] == problem.num_points
    axes = 1 if problem.grid is None or flat else problem.space_dim  # of one case
    found = {n: np.asarray(arrays[n], dtype=np.float32) for n in problem.parameter_names}
    counts = {value.size for value in found.values() if value.size != 1}
    cases = lead[0] if len(lead) > axes else max(counts, default=1)
    for name, value in found.items():
        if value.ndim > 1 or value.size not in (1, cases):
            raise DataError(
                f"{where}: parameter {name!r} has shape {value.shape}, expected () or ({cases},)"
            )
    return [
        value.reshape(()) if value.size == 1 else value.reshape(cases, *[1] * axes)
        for value in found.values()
    ]


def _points(
    surrogate: Surrogate,
    arrays: Mapping[str, NDArray[Any]],
    shape: tuple[int, ...] | None,
    where: str,
) -> NDArray[np.float32]:
    problem = surrogate.problem
    if "points" in arrays:
        points = np.asarray(arrays["points"], dtype=np.float32)
        lead = points.shape[:-1]
        if shape is not None and lead not in (shape, shape[1:]):
            raise DataError(f"{where}: points {points.shape} do not fit fields of shape {shape}")
        return points
    if not (problem.grid and surrogate.shared_mesh and shape):
        raise DataError(f"{where}: no array 'points'; this surrogate needs coordinates")
    d = problem.space_dim
    if len(shape) not in (d, d + 1):
        raise DataError(f"{where}: fields of shape {shape} are not on a {d}-D grid; add 'points'")
    return surrogate.mesh_on(shape[-d:]).reshape(*shape[-d:], d).cpu().numpy()


def _missing(name: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    return unknown("field", name, arrays) if arrays else f"no field {name!r}; the file is empty"
