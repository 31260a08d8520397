"""Errors of models that have learned steps: of whole rollouts, and of single steps.

A rollout begins with the first h frames of a case; all that follows is predicted from predictions.
Its errors are those of its frames, as of every problem with times. Beside them stand those of one
step, which is given the true frames before it, and of the guess that nothing changes.

Shapes: S samples, T frames that are predicted, N points, Cu outputs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.dataset import Dataset
from llt.data.frames import Frames
from llt.data.sample import Floats
from llt.data.steps import View, steps_of
from llt.evaluation.mean_field import weights
from llt.prediction.batching import batches, cases_per_batch
from llt.surrogate import Surrogate
from llt.surrogate.rollout import Rollout, roll_out
from llt.training.validation import Errors, errors_of, sample_errors

Indices = NDArray[np.int64]
Seen = Callable[[Tensor, Tensor], None]


def case_errors(
    surrogate: Surrogate,
    data: Dataset,
    indices: Indices,
    *,
    symmetrize: bool = False,
    seen: Seen | None = None,
) -> Errors:
    """Errors of every sample, as `sample_errors` has them: of rollouts where it has learned steps.

    Args:
        data: as `open_data` gives them.
    """
    if surrogate.frames is None:
        source = surrogate.source(data, indices)
        return sample_errors(surrogate, source, data.problem.grid, symmetrize=symmetrize, seen=seen)
    squares = []
    found = rolled_out(surrogate, data, indices, symmetrize=symmetrize)
    for place, (index, u) in enumerate(found):
        squares.append(_squares(data, index, u))
        if seen is not None:
            items = torch.arange(place * len(u), (place + 1) * len(u))
            seen(items, torch.from_numpy(u))
    return _errors(squares)


def rolled_out(
    surrogate: Surrogate, data: Dataset, indices: Indices, *, symmetrize: bool = False
) -> Iterator[tuple[int, Floats]]:
    """Samples by number with all frames after the first h, (T, N, Cu); some at a time."""
    view = _view(data)
    together = 1 if data.ragged else cases_per_batch(int(data.counts.max()))
    for rows in batches(0, len(indices), together):
        asked = ask(view, indices[rows])
        sizes = np.diff(_times(view.data))[view.frames.history - 1 :]
        u = roll_out(surrogate, asked, len(sizes), sizes, symmetrize=symmetrize)
        yield from zip(map(int, indices[rows]), u, strict=True)


def ask(view: View, indices: Indices) -> Rollout:
    """What a surrogate is asked about samples of one size."""
    data, frames = view.data, view.frames
    samples = [data.sample(int(index)) for index in indices]
    given = np.stack([sample.given for sample in samples])
    steps = [given] if given.ndim == 3 else [*given[:, frames.history :].swapaxes(0, 1)]
    x = samples[0].points[None] if data.shared_points else np.stack([s.points for s in samples])
    exists = [frames.exists(sample.masks) for sample in samples]
    first = np.stack([sample.outputs[: frames.history] for sample in samples])
    known = None if exists[0] is None else np.stack([z for z in exists if z is not None])
    return Rollout(
        x=np.broadcast_to(x, (len(samples), *x.shape[1:])),
        a=steps,
        first=first if known is None else np.where(known[:, None], first, np.float32(0)),
        exists=known,
        grid=data.problem.grid,
    )


def about_steps(
    surrogate: Surrogate, data: Dataset, indices: Indices, errors: Errors
) -> tuple[dict[str, Any], list[dict[str, float]]]:
    """Errors of one step and of no change beside those of rollouts: in all, and at every frame.

    Args:
        errors: of the rollouts.
    """
    view = _view(data)
    source = surrogate.source(steps_of(view.data, view.frames), indices)
    of_steps = sample_errors(surrogate, source, data.problem.grid).squares
    target = errors.squares[1].to(of_steps.device)

    def beside_frames(squares: Tensor) -> Errors:
        return errors_of(torch.stack((squares, target)).flatten(1, 2), squares.shape[1])

    step, still = (beside_frames(squares) for squares in of_steps)
    kept = _errors([_squares(data, int(i), _last_given(view, int(i))) for i in indices])
    found = {"one_step": step, "step_unchanged": still, "unchanged": kept}
    in_all = {name: one.total.mean().item() for name, one in found.items()}
    columns = {name: one.times.mean(0).tolist() for name, one in found.items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {"history": view.frames.history, **in_all}, rows


def seconds_per_frame(
    surrogate: Surrogate, data: Dataset, indices: Indices, *, symmetrize: bool = False
) -> float:
    """Median time of a rollout from arrays to arrays, neighbor search included, per frame."""
    seconds = []
    for index in [indices[0], *indices]:  # the first one warms up
        start = time.perf_counter()
        for _, u in rolled_out(surrogate, data, np.array([index]), symmetrize=symmetrize):
            seconds.append((time.perf_counter() - start) / len(u))
    return float(np.median(seconds[1:]))


def frames_of(surrogate: Surrogate, data: Dataset) -> Frames:
    """Those of the surrogate, once it is known that the data have such."""
    assert surrogate.frames is not None and data.times is not None
    surrogate.frames.check_steps(data.times.tolist(), data.problem.name)
    return surrogate.frames


def _squares(data: Dataset, index: int, u: Floats) -> NDArray[np.float64]:
    """Sums over the points of squares of errors and targets, (2, T, Cu)."""
    sample = data.sample(index)
    pair = np.stack([u.astype(np.float64) - sample.outputs, sample.outputs]) ** 2
    return np.asarray((pair * weights(sample, data.problem)).sum(axis=-2))


def _errors(squares: list[NDArray[np.float64]]) -> Errors:
    return errors_of(torch.from_numpy(np.concatenate(squares, axis=1)), squares[0].shape[1])


def _last_given(view: View, index: int) -> Floats:
    return view.data.sample(index).outputs[None, view.frames.history - 1]


def _view(data: Dataset) -> View:
    assert data.view is not None
    return data.view


def _times(data: Dataset) -> NDArray[np.float64]:
    assert data.times is not None
    return data.times
