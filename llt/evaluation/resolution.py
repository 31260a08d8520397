"""How the error changes when a surrogate is asked at resolutions it was not trained on.

The test samples come from the file where it holds the asked grids, as every k-th of its points;
else generated ones are solved again from their seeds, on the solver's own grid.

Beside the error of the surrogate itself stands the floor that is always to be had: ask it on its
own grid, and interpolate what it says to the asked one (cubic splines along the lines of the
grid). What that interpolation loses of the truth itself is told too.

Shapes: B batch, N points, C fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline
from torch import Tensor

from llt.data.dataset import Dataset
from llt.data.sources import Source
from llt.data.splits import Splits
from llt.data.thinning import Grid, fitting_strides, stride_between, thin
from llt.errors import ConfigError
from llt.evaluation.metrics import split_errors
from llt.problem import Problem
from llt.solvers.base import Solution
from llt.surrogate import Surrogate
from llt.training.validation import relative_errors

BATCH = 4  # samples that are resampled at a time


def asked_grids(problem: Problem, resolutions: Sequence[int | Grid]) -> list[Grid]:
    """Resolutions as grids: a number is that of every side of a square grid."""
    if problem.grid is None:
        raise ConfigError(
            f"{problem.name} is a point set and has no resolution; "
            "evaluate another file of the problem with --data instead"
        )
    sides = [n if isinstance(n, tuple) else (n,) for n in resolutions]
    shape = spelled(problem.grid)
    for side in sides:
        square = len(side) == 1 and len(set(problem.grid)) == 1
        if not square and len(side) != len(problem.grid):
            raise ConfigError(
                f"resolution {spelled(side)}: the grid is {shape}; spell others like it"
            )
    return [side * len(problem.grid) if len(side) == 1 else side for side in sides]


def spelled(grid: Sequence[int]) -> str:
    return "x".join(map(str, grid))


def grid_name(row: Mapping[str, Any]) -> str:
    """Of a row of `Evaluation.resolutions`."""
    n = row["resolution"]
    return f"{n} x {n}" if isinstance(n, int) else str(n).replace("x", " x ")


def holds(fine: Grid, grids: Sequence[Grid]) -> bool:
    """Whether all grids are every k-th point of a fine one."""
    return all(m in _coarser(n) for grid in grids for n, m in zip(fine, grid, strict=True))


def resolution_job(data: Dataset, grids: Sequence[Grid]) -> dict[str, Any]:
    """The solver settings that give the data's samples on the solver's own grid."""
    settings, own = data.provenance.get("settings", {}), data.problem.grid or ()
    if data.provenance.get("source") != "generated" or "stored_resolution" not in settings:
        raise ConfigError(_not_held(own, grids, "the file"))
    fine = (settings["resolution"],) * len(own)
    if not holds(fine, grids):
        raise ConfigError(_not_held(fine, grids, "the solver"))
    return {**settings, "stored_resolution": settings["resolution"]}


def _coarser(n: int) -> list[int]:
    """To how many points an axis of n can be thinned."""
    return sorted((n - 1) // k + 1 for k in fitting_strides(n))


def _not_held(fine: Grid, grids: Sequence[Grid], where: str) -> str:
    wrong = next(grid for grid in grids if not holds(fine, [grid]))
    choices = [*dict.fromkeys(str(_coarser(n)) for n in fine)]
    return (
        f"resolution {spelled(wrong)} is not every k-th point of {where}'s {spelled(fine)}; "
        f"choose from {' x '.join(choices)}"
    )


def solved(problem: Problem, solutions: Sequence[Solution]) -> Dataset:
    """Samples solved again, on the grid they were solved on."""
    grid = solutions[0].points.shape[:-1]

    def rows(solution: Solution, group: str, names: tuple[str, ...]) -> np.ndarray:
        fields = [getattr(solution, group)[name] for name in names]
        return np.stack(fields, axis=-1).reshape(prod(grid), -1).astype(np.float32)

    return Dataset(
        problem=replace(problem, grid=grid),
        points=solutions[0].points.reshape(prod(grid), -1).astype(np.float32),
        inputs=np.stack([rows(s, "inputs", problem.input_names) for s in solutions]),
        outputs=np.stack([rows(s, "outputs", problem.output_names) for s in solutions]),
        splits=Splits.of([], [], np.arange(len(solutions))),
    )


def errors_by_resolution(
    surrogate: Surrogate,
    fine: Dataset,
    grids: Sequence[Grid],
    on_done: Callable[[], None] = lambda: None,
) -> list[dict[str, Any]]:
    """Mean relative L2 errors on each grid, of the test samples of data that hold them all."""
    indices = fine.split("test")
    rows = []
    for grid in grids:
        asked = _on(fine, grid)
        errors, fields = split_errors(surrogate, asked, indices)
        means = zip(fine.problem.output_names, fields.mean(axis=0).tolist(), strict=True)
        resampled, interpolation = floor_errors(surrogate, fine, asked, indices)
        rows.append(
            {
                "resolution": grid[0] if len(set(grid)) == 1 else spelled(grid),
                "relative_l2": float(errors.mean()),
                "fields": dict(means),
                "resampled": resampled,  # asked on the surrogate's own grid, interpolated
                "interpolation": interpolation,  # the truth on that grid, interpolated
                "samples": len(errors),
            }
        )
        on_done()
    return rows


def _on(fine: Dataset, grid: Grid) -> Dataset:
    stride = stride_between(fine.problem.grid or (), grid)
    assert stride is not None  # `holds` or `resolution_job` has seen to it
    return thin(fine, stride)


def floor_errors(
    surrogate: Surrogate, fine: Dataset, asked: Dataset, indices: NDArray[np.int64]
) -> tuple[float | None, float | None]:
    """Errors of prediction and of truth on the surrogate's own grid, interpolated to the asked one.

    None where the data do not hold that grid, or where fields exist on some points only.
    """
    own, grid = surrogate.problem.grid or (), asked.problem.grid or ()
    if not stride_between(fine.problem.grid or (), own) or fine.problem.mask_names:
        return None, None
    base = surrogate.source(_on(fine, own), indices)
    target = surrogate.source(asked, indices)
    matrices = [spline(n, m).to(surrogate.device) for n, m in zip(own, grid, strict=True)]
    squares = torch.zeros((3, base.num_samples), dtype=torch.float64, device=surrogate.device)
    for items in torch.arange(base.num_items, device=surrogate.device).split(BATCH):
        parts = _squares(surrogate, base, target, items, matrices)
        squares.index_add_(1, items // base.num_times, parts)
    errors = [relative_errors(error, squares[2]).mean().item() for error in squares[:2]]
    return errors[0], errors[1]


def _squares(
    surrogate: Surrogate, base: Source, target: Source, items: Tensor, matrices: Sequence[Tensor]
) -> Tensor:
    """Sums of squares of the errors of prediction and truth, and of the target: (3, B)."""
    own, asked = base.batch(items), target.batch(items)
    u = surrogate.predict_batch(
        own.x, own.a, t=own.t, grid=own.grid, neighbors=own.neighbors, mask=own.mask
    )
    z = torch.stack([resampled(u, matrices), resampled(own.u, matrices)]) - asked.u
    squares = torch.cat([z, asked.u.unsqueeze(0)]).double().square()  # (3, B, N, C)
    weights = asked.weights(target.problem)
    return (squares if weights is None else squares * weights).sum((2, 3))


def spline(n: int, m: int) -> Tensor:
    """The matrix (m, n) from n evenly spaced values to their cubic spline at m, ends to ends."""
    matrix = make_interp_spline(np.linspace(0, 1, n), np.eye(n), k=min(3, n - 1))(
        np.linspace(0, 1, m)
    )
    return torch.from_numpy(matrix.astype(np.float32))


def resampled(u: Tensor, matrices: Sequence[Tensor]) -> Tensor:
    """Fields (B, N, C) on another grid, by one matrix along every axis."""
    image = u.float().unflatten(1, [matrix.shape[1] for matrix in matrices])
    for axis, matrix in enumerate(matrices, start=1):
        image = torch.tensordot(matrix, image, dims=([1], [axis])).movedim(0, axis)
    return image.flatten(1, len(matrices))
