"""Cases of a problem on the page: their truth, and what a surrogate says where there is one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from llt.errors import ConfigError, LltError
from llt.evaluation.moments import moved_to
from llt.problem import Field
from llt.surrogate import Surrogate
from llt.view.answers import Answers
from llt.view.arrays import about_points, answers, bars_of, errors_of, given_name, truths
from llt.view.cases import Cases, place_of
from llt.view.container import Parcel
from llt.view.pictured import check_moment, in_space
from llt.view.scene import Live
from llt.view.scores import Score, Scores
from llt.view.shape import shape_of

SOME = 16  # cases that ranges are of


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
        t = None if moment is None or data.times is None else float(data.times[moment])
        meta = {"time": t, "seconds": seconds, "errors": errors_of(data.problem, arrays)}
        return Parcel(meta, arrays)

    def warm_up(self) -> None:
        """The first prediction takes longer; it is made before somebody waits for it."""
        with suppress(LltError, OSError):  # told to who asks
            if self.live is not None:
                self.live.warm_up()
            elif self._split and (rows := self.cases(None)["cases"]):
                self.fields(None, rows[0]["id"], None)

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
