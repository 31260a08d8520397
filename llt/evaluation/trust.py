"""How far to trust predictions: bars from the validation split, and whether they hold on another.

Weights are chosen on the validation split too, by their mean error over all of it; what that
takes from the bars is far below what they claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from llt.checkpoint import checkpoint_folder, read_weights
from llt.data.dataset import Dataset
from llt.data.sample import Sample
from llt.data.steps import steps_of
from llt.evaluation.hardest import hardest
from llt.evaluation.rollouts import case_errors
from llt.surrogate import Surrogate
from llt.training.folder import read_data_record
from llt.training.validation import Errors
from llt.trust import Trust, keep_trust
from llt.trust.conformal import case_bar, point_bar
from llt.trust.distance import find_distance, fit_groups
from llt.trust.features import Floats, Geometry

POINTS = 4096  # of a case at all its times, drawn by a seed: bars hold from any number of them
MOMENTS = 5  # of a case whose inputs change with time, that tell what it is like
Numbers = Mapping[str, Floats]


@dataclass(frozen=True, kw_only=True)
class Trusted:
    """What is claimed of new cases, and what came of it on one split."""

    level: float
    cases: int  # of the validation split
    note: str = ""  # why there are no bars
    bars: dict[str, float] = field(default_factory=dict)  # of every field, see `Trust`
    # share of points within them, the mean over the cases; nothing on the validation split itself
    coverage: dict[str, float] = field(default_factory=dict)
    error: float | None = None  # relative L2 that a new case stays below
    case_coverage: float | None = None  # share of cases that do
    distances: list[float] = field(default_factory=list)  # from the training cases
    groups: list[str] = field(default_factory=list)  # in which they are largest
    hardest: str = ""  # where errors are largest, in words

    @property
    def beyond(self) -> int:
        """How many cases lie further out than every training case."""
        return sum(distance > 1 for distance in self.distances)


class PointScores:
    """Gathers |error| at points of every case and field, batch by batch."""

    def __init__(self, data: Dataset, indices: NDArray[np.int64]) -> None:
        self.data, self.indices = data, indices
        self.times = 1 if data.times is None else len(data.times)
        self._parts: list[list[list[Floats]]] = [
            [[] for _ in indices] for _ in data.problem.outputs
        ]

    def see(self, items: Tensor, u: Tensor) -> None:
        """Predictions (B, N, Cu) of these items, which are samples or samples at a time."""
        for item, values in zip(items.tolist(), u.cpu().numpy(), strict=True):
            place, moment = divmod(item, self.times)
            sample = self.data.sample(
                int(self.indices[place]), None if self.data.times is None else moment
            )
            error = np.abs(values[: len(sample.points)] - sample.outputs)
            rng = np.random.default_rng(item)
            for channel, output in enumerate(self.data.problem.outputs):
                scores = error[sample.masks[output.mask] if output.mask else slice(None), channel]
                most = max(1, POINTS // self.times)
                some = scores if len(scores) <= most else rng.choice(scores, most, replace=False)
                self._parts[channel][place].append(some)

    def by_field(self) -> dict[str, list[Floats]]:
        """Of every case, of which some may have no points of a field."""
        return {
            name: [np.concatenate(parts) for parts in cases]
            for name, cases in zip(self.data.problem.output_names, self._parts, strict=True)
        }


def find_trust(run: Path, surrogate: Surrogate, data: Dataset) -> Trust | None:
    """What the run knows; on its own data it is found out, and kept beside the weights."""
    own = (run / "data.json").is_file() and read_data_record(run)["hash"] == data.hash
    if surrogate.trust is not None or not own or not data.splits["val"].size:
        return surrogate.trust
    folder = checkpoint_folder(run)
    trust = calibrate(surrogate, data, read_weights(folder)[1])
    with suppress(OSError):  # a run that cannot be written is trusted all the same
        keep_trust(folder, trust)
    return trust


def calibrate(surrogate: Surrogate, data: Dataset, checkpoint: Mapping[str, Any]) -> Trust:
    """Bars from the validation split, and the numbers of the training cases."""
    val, names = data.split("val"), data.problem.output_names
    scores = PointScores(data, val)
    errors = case_errors(surrogate, data, val, seen=scores.see)
    total, fields = errors.total.cpu().numpy(), errors.fields.cpu().numpy()
    bars = {name: point_bar(cases) for name, cases in scores.by_field().items()}
    of_fields = dict(zip(names, map(case_bar, fields.T), strict=True))
    return Trust(
        cases=len(val),
        bars=_known(bars),
        error=case_bar(total),
        field_errors=_known(of_fields),
        groups=fit_groups(case_numbers(surrogate, data, data.split("train"))),
        data_hash=data.hash,
        checkpoint=dict(checkpoint),
    )


def check_trust(
    trust: Trust,
    scores: PointScores,
    errors: Errors,
    surrogate: Surrogate,
    *,
    seen: bool = False,
) -> Trusted:
    """How the claims fare on a split.

    Args:
        seen: the bars come from this split itself.
    """
    data, indices = scores.data, scores.indices
    total = errors.total.cpu().numpy()
    numbers = case_numbers(surrogate, data, indices, moments=1)
    found = [find_distance(trust.groups, case) for case in numbers] if trust.groups else []
    return Trusted(
        level=trust.level,
        cases=trust.cases,
        note=trust.missing,
        bars=trust.bars,
        coverage={} if seen else coverage(trust.bars, scores.by_field()),
        error=trust.error,
        case_coverage=None if seen or trust.error is None else float((total <= trust.error).mean()),
        distances=[distance.value for distance in found],
        groups=[distance.group for distance in found],
        hardest=hardest(surrogate.describer.words(), numbers, total),
    )


def coverage(bars: Mapping[str, float], scores: Mapping[str, Sequence[Floats]]) -> dict[str, float]:
    """Share of points within the bar of every field, the mean over the cases."""
    found: dict[str, float] = {}
    for name, bar in bars.items():
        shares = [(case <= bar).mean() for case in scores[name] if len(case)]
        found |= {name: float(np.mean(shares))} if shares else {}
    return found


def case_numbers(
    surrogate: Surrogate, data: Dataset, indices: NDArray[np.int64], moments: int = MOMENTS
) -> list[Numbers]:
    """What tells the cases apart; of inputs that change with time, at some times (the last).

    Of rollouts it is what they begin with.
    """
    if data.view is not None:
        data, moments = steps_of(data.view.data, data.view.frames), 0
    describer, grid = surrogate.describer, data.problem.grid
    shared: Geometry | None = None
    if data.mesh is not None:
        shared = describer.geometry(data.mesh, grid)
    found: list[Numbers] = []
    for sample in map(data.sample, indices):
        geometry = shared or describer.geometry(sample.points, grid)
        found += [describer.numbers(geometry, moment.given) for moment in _moments(sample, moments)]
    return found


def _moments(sample: Sample, most: int) -> list[Sample]:
    """The first where none are asked for."""
    if sample.inputs.ndim == 2:
        return [sample]
    if not most:
        return [sample.at(0)]
    times = len(sample.inputs)
    return [sample.at(int(k)) for k in np.linspace(times - 1, 0, min(times, most)).round()]


def _known(bars: Mapping[str, float | None]) -> dict[str, float]:
    return {name: bar for name, bar in bars.items() if bar is not None}
