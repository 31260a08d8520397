"""Arrays at the door: do they fit the problem, and which grid do their points lie on?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from llt.errors import DataError
from llt.problem import Problem

Floats = NDArray[np.float32]


def check_request(
    problem: Problem, x: Floats, a: Floats, t: float | None
) -> tuple[int, ...] | None:
    """Reject what does not fit the problem; give the grid the points lie on, if any."""
    name, d = problem.name, problem.space_dim
    if x.ndim < 2 or x.shape[-1] != d:
        raise DataError(f"{name}: points have shape {x.shape}, expected (..., {d})")
    if a.shape != (*x.shape[:-1], problem.in_channels):
        fields = ", ".join(problem.input_names + problem.parameter_names) or "none"
        raise DataError(
            f"{name}: inputs have shape {a.shape}, expected "
            f"{(*x.shape[:-1], problem.in_channels)} (fields: {fields})"
        )
    if 0 in x.shape:
        raise DataError(f"{name}: points have shape {x.shape}: there are none")
    if not (np.isfinite(x).all() and np.isfinite(a).all()):
        raise DataError(f"{name}: points or inputs hold NaN or infinity")
    if problem.timed and t is None:
        raise DataError(f"{name}: the problem is timed, pass the output time t")
    if problem.grid is None:
        if x.ndim > 3:
            raise DataError(f"{name}: points have shape {x.shape}, expected (N, d) or (B, N, d)")
        return None
    # a stack of flat cases on the training grid, (B, N, d), comes before a grid in the plane
    flat = x.ndim <= 3 and x.shape[-2] == problem.num_points
    if x.ndim > d and not flat:
        return tuple(x.shape[-1 - d : -1])
    if not flat:
        raise DataError(
            f"{name}: {x.shape[-2]} points do not fill the grid {problem.grid}; "
            "give points as (*grid, d) for another resolution"
        )
    return problem.grid
