"""How the error changes when a surrogate is asked at resolutions it was not trained on.

The test samples are solved again from their seeds and kept at every asked resolution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from llt.data.dataset import Dataset
from llt.data.splits import Splits
from llt.errors import ConfigError
from llt.evaluation.metrics import split_errors
from llt.solvers.base import Solution
from llt.surrogate import Surrogate


def resolution_job(data: Dataset) -> dict[str, Any]:
    """The solver settings that give the data's samples on the solver's own, finest grid."""
    settings = data.provenance.get("settings", {})
    if data.provenance.get("source") != "generated" or "stored_resolution" not in settings:
        raise ConfigError(
            f"{data.problem.name}: other resolutions need generated data on a square grid; "
            "evaluate another file of the problem with --data instead"
        )
    return {**settings, "stored_resolution": settings["resolution"]}


def check_resolutions(data: Dataset, resolutions: Sequence[int]) -> None:
    fine = resolution_job(data)["resolution"]
    fits = [n for n in range(5, fine + 1) if (fine - 1) % (n - 1) == 0]
    for n in resolutions:
        if n not in fits:
            raise ConfigError(
                f"resolution {n} is not every k-th point of {fine}; choose from {fits}"
            )


def errors_by_resolution(
    surrogate: Surrogate,
    data: Dataset,
    solutions: Sequence[Solution],
    resolutions: Sequence[int],
    on_done: Callable[[], None] = lambda: None,
) -> list[dict[str, Any]]:
    """Mean relative L2 error at each resolution, from solutions on the finest grid."""
    rows = []
    for n in resolutions:
        thin = _thinned(data, solutions, n)
        errors, _ = split_errors(surrogate, thin, thin.split("test"))
        rows.append({"resolution": n, "relative_l2": float(errors.mean()), "samples": len(errors)})
        on_done()
    return rows


def _thinned(data: Dataset, solutions: Sequence[Solution], n: int) -> Dataset:
    stride = (len(solutions[0].points) - 1) // (n - 1)

    def rows(solution: Solution, group: str, names: tuple[str, ...]) -> np.ndarray:
        fields = [getattr(solution, group)[name][::stride, ::stride] for name in names]
        return np.stack(fields, axis=-1).reshape(n * n, -1).astype(np.float32)

    problem = data.problem
    return Dataset(
        problem=replace(problem, grid=(n, n)),
        points=solutions[0].points[::stride, ::stride].reshape(n * n, -1).astype(np.float32),
        inputs=np.stack([rows(s, "inputs", problem.input_names) for s in solutions]),
        outputs=np.stack([rows(s, "outputs", problem.output_names) for s in solutions]),
        splits=Splits.of([], [], np.arange(len(solutions))),
    )
