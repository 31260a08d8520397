"""Predictions for the arrays of a file: one case or many, on the training mesh or another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.errors import ConfigError, DataError, unknown
from llt.prediction.question import training_points
from llt.problem import Problem
from llt.surrogate import Surrogate
from llt.surrogate.rollout import Rollout, read_rollout, roll_out
from llt.trust.distance import Distance

Arrays = dict[str, NDArray[Any]]


def predict_arrays(
    surrogate: Surrogate,
    arrays: Mapping[str, NDArray[Any]],
    *,
    time: float | Sequence[float] | None = None,
    steps: int | None = None,
    symmetrize: bool = False,
    where: str = "input",
) -> Arrays:
    """Output fields by name with the points they belong to, see `Surrogate.predict`.

    Arrays besides `points`, input fields and case parameters are not looked at, so that a dataset
    file will do. Point sets of different sizes stand one after the other, with their `offsets`.
    Only `points` and output fields come back, so an output may have the name of an input; with
    several times, `times` and fields that have an axis for them: (B, T, N), ragged (T, P).

    A model that has learned steps is rolled out from the first frames of its outputs, which are
    among the arrays with such an axis, over the frames that follow there, or as many `steps`.
    """
    problem = surrogate.cases
    several = {} if time is None or not np.ndim(time) else {"times": np.asarray(time)}
    times = several if surrogate.frames is None else ("times",)
    for name in ("points", "offsets", *times):
        if name in problem.output_names:  # of an older file
            raise DataError(
                f"{problem.name}: the output {name!r} would take the place of the input's {name}; "
                "use Surrogate.predict in Python"
            )
    for name in problem.input_names + problem.parameter_names:
        if name not in arrays:
            raise DataError(f"{where}: {_missing(name, arrays)}")
    if surrogate.frames is not None:
        try:
            return _rolled_out(surrogate, arrays, steps, symmetrize)
        except DataError as error:
            raise DataError(f"{where}: {error}") from error
    given = {name: arrays[name] for name in problem.input_names}
    numbers = {name: arrays[name] for name in problem.parameter_names}
    points = arrays.get("points")
    try:
        if "offsets" in arrays and problem.grid is None and points is not None:
            return _predict_ragged(surrogate, arrays, time, symmetrize) | several
        outputs = surrogate.predict(points, given | numbers, time, symmetrize=symmetrize)
    except DataError as error:
        raise DataError(f"{where}: {error}") from error
    if points is None:
        shape = next(iter(outputs.values())).shape
        points = _mesh(surrogate, shape, 2 if several else 1)
    return {"points": points, **several, **outputs}


def case_distances(surrogate: Surrogate, arrays: Mapping[str, NDArray[Any]]) -> list[Distance]:
    """How far the cases of `predict_arrays` lie from the training cases, where that is known."""
    problem, points = surrogate.cases, arrays.get("points")
    if surrogate.trust is None:
        return []
    if surrogate.frames is not None:
        found = (_first_frames(surrogate, case) for case in _cases(problem, arrays))
        questions = [asked.first_question(surrogate.frames) for asked in found]
        known, describer = surrogate.trust, surrogate.describer
        return [far for one in questions for far in known.distances(describer, one)]
    if points is not None and "offsets" in arrays and problem.grid is None:
        cases = _ragged_cases(problem, arrays)
        return [far for x, a in cases for far in surrogate.distances(x, a)]
    given = {name: arrays[name] for name in problem.input_names + problem.parameter_names}
    return surrogate.distances(points, given)


def trust_arrays(surrogate: Surrogate, distances: Sequence[Distance]) -> Arrays:
    """What goes into a file beside outputs: NAME_bar of every field, `distance` of every case."""
    bars = {} if surrogate.trust is None else surrogate.trust.bars
    found: Arrays = {f"{name}_bar": np.array(bar) for name, bar in bars.items()}
    if distances:
        found["distance"] = np.array([far.value for far in distances])
    return {name: z for name, z in found.items() if name not in surrogate.problem.output_names}


def parse_times(text: str, trained: Sequence[float]) -> float | list[float] | None:
    """One time, or several, which the files then have an axis for."""
    if not text:
        return None
    if text == "all":
        if not trained:
            raise ConfigError("--time all: the weights do not say; name them, as --time 0,0.5,1")
        return list(trained)
    try:
        times = [float(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(f"--time {text}: expected a number, several as 0,0.5,1, or all") from None
    return times if "," in text else times[0]


def check_steps(
    surrogate: Surrogate, time: float | Sequence[float] | None, steps: int | None
) -> None:
    """Refuse times of a rollout, and steps of what is none."""
    if steps is not None and (surrogate.frames is None or steps < 1):
        known = "must be at least 1" if surrogate.frames else "is not for this model; leave it out"
        raise ConfigError(f"--steps {steps} {known}")
    if surrogate.frames is not None and time is not None:
        raise ConfigError(f"--time {time}: a file of arrays is rolled out; use --steps")


def _rolled_out(
    surrogate: Surrogate, arrays: Mapping[str, NDArray[Any]], steps: int | None, symmetrize: bool
) -> Arrays:
    frames, problem = surrogate.frames, surrogate.cases
    assert frames is not None
    answers, times = [], np.empty(0)
    for case in _cases(problem, arrays):
        asked = _first_frames(surrogate, case)
        count = steps or asked.count - frames.history or len(frames.times) - frames.history
        times = frames.later(arrays.get("times"), count)
        sizes = np.diff(times)[frames.history - 1 :]
        u = roll_out(surrogate, asked, count, sizes, symmetrize=symmetrize, ranges=True)
        answers.append(asked.shaped(u, problem))
    names = problem.output_names
    outputs = {name: np.concatenate([u[name] for u in answers], axis=-1) for name in names}
    points = arrays.get("points")
    if points is None:
        points = _mesh(surrogate, outputs[names[0]].shape, 2)
    beside = {"offsets": arrays["offsets"]} if len(answers) > 1 or "offsets" in arrays else {}
    return {"points": points, **beside, "times": times[frames.history :], **outputs}


def _first_frames(surrogate: Surrogate, arrays: Mapping[str, NDArray[Any]]) -> Rollout:
    problem = surrogate.cases
    given = {name: arrays[name] for name in problem.input_names + problem.parameter_names}
    first = {name: _frames(problem, name, arrays) for name in problem.output_names}
    masks = {name: arrays.get(f"masks/{name}", arrays.get(name)) for name in problem.mask_names}
    known = {name: mask for name, mask in masks.items() if mask is not None}
    x = arrays.get("points")
    return read_rollout(surrogate, x, given, first, None, known, begin=True)


def _frames(problem: Problem, name: str, arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """An output; in a file with groups, an input or a mask may have its name, too."""
    whole = f"outputs/{name}"
    if whole in arrays:
        return arrays[whole]
    if name not in arrays:
        raise DataError(_missing(name, arrays))
    if name in problem.input_names + problem.mask_names:
        raise DataError(
            f"{name!r} is an output and an input or a mask, one array cannot be both; "
            "use Surrogate.rollout in Python"
        )
    return arrays[name]


def _cases(problem: Problem, arrays: Mapping[str, NDArray[Any]]) -> Iterator[Arrays]:
    """All cases at once; where they differ in size, one after the other."""
    if "offsets" not in arrays or problem.grid is not None or "points" not in arrays:
        yield dict(arrays)
        return
    names = [*problem.output_names, *problem.mask_names]
    names += [name for name in arrays if name.startswith(("outputs/", "masks/"))]
    for i, (x, a) in enumerate(_ragged_cases(problem, arrays)):
        own = slice(*arrays["offsets"][i : i + 2])
        beside = {name: arrays[name][..., own] for name in names if name in arrays}
        yield {"points": x, **beside, **a}


def _predict_ragged(
    surrogate: Surrogate,
    arrays: Mapping[str, NDArray[Any]],
    time: float | Sequence[float] | None,
    symmetrize: bool,
) -> Arrays:
    problem = surrogate.problem
    answers = [
        surrogate.predict(x, a, time, symmetrize=symmetrize)
        for x, a in _ragged_cases(problem, arrays)
    ]
    names = problem.output_names
    outputs = {name: np.concatenate([u[name] for u in answers], axis=-1) for name in names}
    return {"points": arrays["points"], "offsets": arrays["offsets"], **outputs}


def _ragged_cases(
    problem: Problem, arrays: Mapping[str, NDArray[Any]]
) -> Iterator[tuple[NDArray[Any], Arrays]]:
    """Points and inputs by name; case i owns the rows offsets[i] to offsets[i + 1]."""
    points, offsets = arrays["points"], arrays["offsets"]
    whole = offsets.ndim == 1 and offsets.dtype.kind in "iu" and len(offsets) > 1
    steps = np.diff(offsets.astype(np.int64)) if whole else np.zeros(1)
    if steps.min() < 1 or offsets[0] != 0 or offsets[-1] != len(points):
        raise DataError(f"offsets do not divide the {len(points)} points into cases")
    for i, rows in enumerate(map(slice, offsets[:-1], offsets[1:])):
        case = {name: arrays[name][..., rows] for name in problem.input_names}
        for name in problem.parameter_names:
            values = arrays[name]
            if values.shape not in ((), (len(steps),)):
                raise DataError(
                    f"{problem.name}: parameter {name!r} has shape {values.shape}, "
                    f"expected () or ({len(steps)},)"
                )
            case[name] = values[i] if values.shape else values
        yield points[rows], case


def _mesh(surrogate: Surrogate, shape: tuple[int, ...], lead: int) -> NDArray[np.float32]:
    """The training mesh that fields of this shape were predicted on.

    Args:
        lead: axes of cases and times that may stand before those of the points.
    """
    mesh, problem = surrogate.mesh, surrogate.problem
    assert mesh is not None
    flat = len(shape) <= lead + 1 and shape[-1] == len(mesh)
    return training_points(problem, mesh, shape[-1:] if flat else shape[-problem.space_dim :])


def _missing(name: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    return unknown("field", name, arrays) if arrays else f"no field {name!r}; the file is empty"
