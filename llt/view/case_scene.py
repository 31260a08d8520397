"""Cases of a problem on the page: their truth, and what a surrogate says where there is one."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.sample import Floats, Sample
from llt.errors import ConfigError
from llt.evaluation.moments import moments_of, moved_to
from llt.evaluation.panels import find_view
from llt.problem import CAR, Field, Problem
from llt.surrogate import Surrogate
from llt.view.cases import Cases, place_of
from llt.view.container import Parcel
from llt.view.pictured import box_of, check_moment, in_space, relative_l2
from llt.view.scene import Live
from llt.view.scores import Score, Scores
from llt.view.shape import shape_of

SOME = 16  # cases that ranges are of
HELD = 2**27  # bytes of predictions that are kept
GIVEN = " (given)"  # behind the name of an input that an output has, too


@dataclass(frozen=True, kw_only=True)
class Title:
    what: str  # run, file or pretrained
    name: str
    subtitle: str = ""


class CaseScene:
    """See `scene.Scene`."""

    def __init__(
        self,
        title: Title,
        cases: Cases,
        surrogate: Surrogate | None = None,
        *,
        scores: Scores | None = None,
        live: Live | None = None,
        split: str = "test",
    ) -> None:
        self.title, self.live = title, live
        self._cases, self._surrogate, self._scores = cases, surrogate, scores
        self._split = split if split in cases.splits else next(iter(cases.splits), "")
        self._answers = Answers(surrogate)
        self._ranges: dict[str, list[float]] = {}

    def about(self) -> dict[str, Any]:
        problem, splits = self._cases.problem, self._cases.splits
        ready = self._cases.ready(self._split) if splits else []
        data = self._cases.find(ready[0])[0] if ready else None
        times = None if data is None or data.times is None else data.times.tolist()
        vectors = {
            name: [problem.output_names[channel] for channel in channels]
            for name, channels in problem.vectors.items()
        }
        return {
            "title": problem.name.capitalize(),
            "what": self.title.what,
            "name": self.title.name,
            "subtitle": self.title.subtitle,
            "problem": {
                "name": problem.name,
                "space_dim": problem.space_dim,
                "grid": problem.grid if data is None else data.problem.grid,
            },
            "times": times,
            "fields": [*self._fields()],
            "vectors": [{"name": name, "components": parts} for name, parts in vectors.items()],
            "deformed": [problem.output_names[c] for c in moved_to(problem)] or None,
            "split": self._split,
            "splits": [*splits],
            "num_cases": len(splits.get(self._split, ())),
            "first": "cases" if ready or self.live is None else "live",
            "trust": self._trust(),
            "live": None if self.live is None else self.live.about(),
        }

    def _trust(self) -> dict[str, Any] | None:
        trust = None if self._surrogate is None else self._surrogate.trust
        return None if trust is None else {"share": trust.share, "bars": trust.bars}

    def _fields(self) -> Iterator[dict[str, Any]]:
        problem = self._cases.problem
        ranges = self._find_ranges()
        bars = (self._trust() or {"bars": {}})["bars"]
        parts = ["truth"] if self._surrogate is None else ["truth", "prediction", "error"]
        for field in problem.outputs:
            own = [*parts, "bar"] if field.name in bars else parts
            yield _about(field, field.name, "output", own, ranges)
        for field in problem.inputs:
            yield _about(field, given_name(problem, field), "input", ["truth"], ranges)

    def _find_ranges(self) -> dict[str, list[float]]:
        """Of some cases of the split; once there are some."""
        ready = self._cases.ready(self._split) if self._split else []
        if self._ranges or not ready:
            return self._ranges
        low: dict[str, float] = {}
        high: dict[str, float] = {}
        for place in sorted({*np.linspace(0, len(ready) - 1, SOME).round().astype(int).tolist()}):
            data, index = self._cases.find(ready[place])
            for name, values in truths(data.problem, data.sample(index)).items():
                there = values[np.isfinite(values)]
                if there.size:
                    low[name] = min(low.get(name, np.inf), float(there.min()))
                    high[name] = max(high.get(name, -np.inf), float(there.max()))
        found = {name: [low[name], high[name]] for name in low}
        if len(ready) == len(self._cases.splits[self._split]):  # else there are more to come
            self._ranges = found
        return found

    def cases(self, split: str | None) -> dict[str, Any]:
        split = self._known(split)
        ready = [*self._cases.ready(split)]
        known = {} if self._scores is None else self._scores.of(ready)
        rows = [self._row(number, known.get(number)) for number in ready]
        rows.sort(key=lambda row: (row["error"] is None, -(row["error"] or 0), row["id"]))
        expected = len(self._cases.splits[split])
        return {
            "cases": rows,
            "sorted": "by number" if self._scores is None else "worst first",
            "pending": expected - (len(ready) if self._scores is None else len(known)),
        }

    def _row(self, number: int, score: Score | None) -> dict[str, Any]:
        data, index = self._cases.find(number)
        score = score or Score()
        names = data.problem.parameter_names
        return {
            "id": number,
            "label": f"case {number}",
            "error": score.error,
            "errors": score.errors,
            "distance": score.distance,
            "problem": score.problem,
            "parameters": dict(zip(names, data.parameters[index].tolist(), strict=True)),
            "points": int(data.counts[index]),
        }

    def mesh(self, split: str | None, number: int) -> Parcel:
        data, index = place_of(self._cases, self._known(split), number)
        self._step_back()
        sample = data.sample(index)
        shape = shape_of(sample.points, data.problem.grid, sample.masks)
        masks = {f"mask:{name}": mask.astype(np.uint8) for name, mask in sample.masks.items()}
        meta = {"id": number, "label": f"case {number}", "surface": shape.body}
        meta |= about_points(data.problem, sample.points, self._surrogate)
        return Parcel(meta, {"points": in_space(sample.points), **shape.arrays(), **masks})

    def fields(self, split: str | None, number: int, moment: int | None) -> Parcel:
        data, index = place_of(self._cases, self._known(split), number)
        moment = check_moment(moment, None if data.times is None else data.times.tolist())
        self._step_back()
        sample = data.sample(index, moment)
        arrays = {f"{name}/truth": z for name, z in truths(data.problem, sample).items()}
        seconds = {}
        if self._surrogate is not None:
            start = time.perf_counter()
            u = self._answers.find(data, index, number, moment)
            seconds["predict"] = time.perf_counter() - start
            arrays |= answers(data.problem, sample, u)
            arrays |= bars_of(self._surrogate)
        meta = {"time": None if moment is None else float(data.times[moment]), "seconds": seconds}
        return Parcel(meta | {"errors": errors_of(data.problem, arrays)}, arrays)

    def close(self) -> None:
        for part in (self.live, self._scores, self._cases):
            if part is not None:
                part.close()

    def _known(self, split: str | None) -> str:
        split = self._split if split is None else split
        if split not in self._cases.splits:
            there = ", ".join(self._cases.splits) or "none"
            raise ConfigError(f"no split {split!r}; there are: {there}")
        return split

    def _step_back(self) -> None:
        if self._scores is not None:
            self._scores.step_back()


class Answers:
    """Predictions of the cases that were looked at last."""

    def __init__(self, surrogate: Surrogate | None) -> None:
        self._surrogate = surrogate
        self._kept: OrderedDict[tuple[int, int | None], Floats] = OrderedDict()
        self._lock = Lock()

    def find(self, data: Dataset, index: int, number: int, moment: int | None) -> Floats:
        """Of case `number`, which is `index` in the data, at a time: (N, Cu)."""
        assert self._surrogate is not None
        key = number, moment
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        # a rollout gives all its times at once
        whole = data.view is not None and data.times is not None
        moments = range(len(data.times)) if whole else [moment or 0]
        found = moments_of(self._surrogate, data, index, [*moments])
        with self._lock:
            for k, one in zip(moments, found, strict=True):
                self._kept[number, None if moment is None else k] = one.u
            while len(self._kept) > 1 and sum(u.nbytes for u in self._kept.values()) > HELD:
                self._kept.popitem(last=False)
        return found[moment or 0].u if whole else found[0].u


def _about(
    field: Field, name: str, role: str, parts: list[str], ranges: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "name": name,
        "unit": field.unit,
        "role": role,
        "parts": parts,
        "mask": field.mask,
        "range": ranges.get(name),
    }


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
