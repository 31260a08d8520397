"""The errors of a surrogate on held-out samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from llt.data.batch import Batch
from llt.data.sources import Source
from llt.models.llt import LLT
from llt.prediction.batching import cases_per_batch
from llt.runtime.team import ALONE, Team
from llt.surrogate import Surrogate

MOST_POINTS = {"cpu": 2**16, "cuda": 2**20}  # of a case that is predicted whole, by LLT


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative L2 errors, each over all points at which a field exists."""

    total: Tensor  # (S,) over all fields and times of a sample, with the weights of the loss
    fields: Tensor  # (S, Cu) of every field alone
    times: Tensor  # (S, T) at every time, beside what the fields are then
    field_times: Tensor  # (S, T, Cu)
    squares: Tensor  # (2, S, T, Cu) that they come from: of errors and of targets, over the points

    def of(self, channels: Sequence[int]) -> Errors:
        """The errors of some fields together, as if there were no others."""
        return errors_of(self.squares[..., list(channels)].flatten(1, 2), self.squares.shape[2])


def sample_errors(
    surrogate: Surrogate,
    data: Source,
    grid: tuple[int, ...] | None = None,
    *,
    symmetrize: bool = False,
    seen: Callable[[Tensor, Tensor], None] | None = None,
    team: Team = ALONE,
) -> Errors:
    """The errors of every sample; sums are in double precision.

    Args:
        seen: is given the item numbers of every batch and what is predicted, (B, N, Cu).
        team: processes that share the batches out.
    """
    device = surrogate.device
    parts: list[Tensor] = []  # sums of squares of errors and targets, (2, items, Cu)
    batches = torch.arange(data.num_items, device=device).split(items_together(surrogate, data))
    for number, items in enumerate(batches):
        if number % team.size != team.rank:  # another's
            shape = (2, len(items), data.problem.out_channels)
            parts.append(torch.zeros(shape, dtype=torch.double, device=device))
            continue
        batch = data.batch(items)
        u = predicted(surrogate, batch, grid, symmetrize=symmetrize)
        if seen is not None:
            seen(items, u)
        pair = torch.stack([u - batch.u, batch.u]).double().square()
        weights = batch.weights(data.problem)
        if weights is not None:
            pair = pair * weights
        parts.append(pair.sum(2))
    return errors_of(team.total(torch.cat(parts, dim=1)), data.num_times)


def items_together(surrogate: Surrogate, data: Source) -> int:
    """How many items are predicted at once: cases too large to be predicted whole go alone."""
    if _is_large(surrogate, data.num_points):
        return 1
    cuda = surrogate.device.type == "cuda"
    return cases_per_batch(data.num_points, data.num_neighbors) if cuda else 4


def predicted(
    surrogate: Surrogate, batch: Batch, grid: tuple[int, ...] | None, *, symmetrize: bool = False
) -> Tensor:
    """What is predicted for a batch, (B, N, Cu): whole, or one large case in bounded memory."""
    if symmetrize or not _is_large(surrogate, batch.x.shape[1]):
        return surrogate.predict_batch(
            batch.x,
            batch.a,
            t=batch.t,
            grid=grid,
            neighbors=batch.neighbors,
            mask=batch.mask,
            symmetrize=symmetrize,
        )
    assert len(batch.x) == 1
    own = slice(None if batch.mask is None else int(batch.mask.sum()))
    x, a = (z[0, own].cpu().numpy() for z in (batch.x, batch.a))
    neighbors = None if batch.neighbors is None else batch.neighbors[0, own].cpu().numpy()
    t = None if batch.t is None else batch.t.item()
    grid = grid or surrogate.problem.grid
    u = torch.zeros_like(batch.u)
    answer = surrogate.predict_chunks(x, a, t, grid=grid, neighbors=neighbors)
    u[0, own] = torch.from_numpy(answer).to(u)
    return u


def _is_large(surrogate: Surrogate, num_points: int) -> bool:
    most = MOST_POINTS[surrogate.device.type]
    return num_points > most and isinstance(surrogate.model, LLT)


def errors_of(squares: Tensor, num_times: int = 1) -> Errors:
    """From sums of squares over the points, of errors and of targets: (2, S * T, Cu)."""
    samples = squares.shape[1] // num_times
    whole = squares.new_zeros(2, samples, squares.shape[2])
    owner = torch.arange(squares.shape[1], device=squares.device) // num_times
    whole.index_add_(1, owner, squares)
    single = squares.unflatten(1, (samples, num_times))
    return Errors(
        total=relative_errors(*whole.sum(2)),
        fields=relative_errors(*whole),
        times=_errors_in_time(single.sum(3)),
        field_times=_errors_in_time(single),
        squares=single,
    )


def _errors_in_time(squares: Tensor) -> Tensor:
    """From (2, S, T, ...); where a target is zero in all samples, beside its mean over time."""
    error, target = squares
    usual = target.mean(1, keepdim=True).expand_as(target)
    return relative_errors(error, torch.where(target.mean(0) > 0, target, usual))


def relative_errors(error: Tensor, target: Tensor) -> Tensor:
    """Roots of summed squares of errors beside those of targets, samples (S, ...) first.

    A sample whose target is zero everywhere has no size of its own: its error is told beside the
    root mean square of all samples, and as it is where every target is zero.
    """
    mean = target.mean(0)
    size = torch.where(target > 0, target, torch.where(mean > 0, mean, 1.0))
    return (error / size).sqrt()
