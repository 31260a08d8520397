"""A case as arrays for the page: FIELD/truth, FIELD/prediction, FIELD/error and FIELD/bar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.sample import Floats, Sample
from llt.evaluation.panels import find_view
from llt.problem import CAR, Field, Problem
from llt.surrogate import Surrogate
from llt.view.pictured import box_of, relative_l2

GIVEN = " (given)"  # behind the name of an input that an output has, too


def given_name(problem: Problem, field: Field) -> str:
    return field.name + GIVEN * (field.name in problem.output_names)


def truths(problem: Problem, sample: Sample) -> dict[str, Floats]:
    """All fields of a sample, (N,) or (T, N), NaN where they do not exist."""
    found = {
        field.name: _where(sample, field, sample.outputs[..., channel])
        for channel, field in enumerate(problem.outputs)
    }
    for channel, field in enumerate(problem.inputs):
        found[given_name(problem, field)] = sample.inputs[..., channel]
    return found


def answers(problem: Problem, sample: Sample, u: Floats) -> dict[str, Floats]:
    """Predictions (N, Cu) and their errors as arrays for the page."""
    found = {}
    for channel, field in enumerate(problem.outputs):
        values = _where(sample, field, u[:, channel])
        found[f"{field.name}/prediction"] = values
        found[f"{field.name}/error"] = values - sample.outputs[:, channel]
    return found


def bars_of(surrogate: Surrogate) -> dict[str, Floats]:
    bars = {} if surrogate.trust is None else surrogate.trust.bars
    return {f"{name}/bar": np.array([bar], np.float32) for name, bar in bars.items()}


def errors_of(problem: Problem, arrays: Mapping[str, NDArray[Any]]) -> dict[str, float]:
    """Relative L2 errors of every field where it exists."""
    found = {
        name: relative_l2(arrays[f"{name}/error"], arrays[f"{name}/truth"])
        for name in problem.output_names
        if f"{name}/error" in arrays
    }
    return {name: error for name, error in found.items() if error is not None}


def _where(sample: Sample, field: Field, values: Floats) -> Floats:
    """NaN where the field does not exist."""
    if not field.mask:
        return values
    return np.where(sample.masks[field.mask], values, np.float32(np.nan))


def about_points(
    problem: Problem, points: NDArray[Any], surrogate: Surrogate | None
) -> dict[str, Any]:
    """Dimension, the box of all points, and the part of it to begin with."""
    bounds = focus = box_of(points)
    if surrogate is not None and points.shape[1] == 2:
        box = surrogate.normalizer
        view = find_view([points], (box.x_low.cpu().numpy(), box.x_size.cpu().numpy()))
        focus = [view.low.tolist(), view.high.tolist()]
    up = "y" if problem.name == CAR.name else "z"
    return {"dim": points.shape[1], "bounds": bounds, "focus": focus, "up": up}
