"""One case: read, neighbors, prediction, comparison with what is known, writing."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from math import sqrt
from pathlib import Path
from typing import Any

from llt.data import formats
from llt.data.folder.cases import Case
from llt.data.folder.look import CELLS
from llt.data.folder.plan import Plan
from llt.data.folder.states import read_state
from llt.data.formats import Weights
from llt.errors import DataError, RangeWarning
from llt.own_mesh.answer import Answer
from llt.own_mesh.integrals import Integral, Value
from llt.own_mesh.numbers import Numbers
from llt.own_mesh.question import FileQuestion, ask, misplaced
from llt.own_mesh.series import Times
from llt.surrogate import Surrogate
from llt.trust.distance import Distance

PARTS = ("read", "neighbors", "predict", "write")


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """Of predictions for files."""

    parameters: Mapping[str, float] = field(default_factory=dict)  # of all cases
    table: Path | None = None  # of case parameters
    time: Times = None
    steps: int | None = None  # of a rollout
    integrate: Sequence[str] = ()  # as mean:T, force:p:wall, flux:U:inlet
    symmetrize: bool = False
    force: bool = False  # replace files


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """What was written for a case."""

    name: str
    out: str
    count: int  # of points or cells
    location: str  # which of them
    errors: Mapping[str, float]  # relative L2 of every output that the file knows
    distance: Distance | None  # from the training cases, where they are known
    integrals: Mapping[str, Mapping[str, Any]]  # by what was asked: predicted, and known
    seconds: Mapping[str, float]  # by part
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A case that was read."""

    case: Case
    question: FileQuestion
    weights: Sequence[Weights]  # of every integral
    seconds: dict[str, float]  # by part, as far as it came


@dataclass(frozen=True, kw_only=True, slots=True)
class Computed:
    """What the surrogate says of it."""

    u: Mapping[str, Any]
    distance: Distance | None
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True)
class Job:
    """All that is the same for every case; the surrogate is at work in `compute` alone."""

    surrogate: Surrogate
    plan: Plan
    numbers: Numbers
    integrals: Sequence[Integral]
    options: Options

    def predict(self, case: Case, out: Path) -> Done:
        asked = self.read(case)
        computed = self.compute(asked)
        answers = self.answers(asked, computed)
        self.write(asked, answers, out)
        return self.done(asked, computed, answers, out)

    def read(self, case: Case) -> Asked:
        seconds = dict.fromkeys(PARTS, 0.0)
        with _timed(seconds, "read"):
            frames, options = self.surrogate.frames, self.options
            question = ask(case, self.plan, self.numbers, options.time, frames, options.steps)
            weights = self._weights(case, question)
        return Asked(case=case, question=question, weights=weights, seconds=seconds)

    def compute(self, asked: Asked) -> Computed:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RangeWarning)
            u = self._ask(asked)
        distance = self._distance(asked.question)
        return Computed(u=u, distance=distance, warnings=(*_told(caught),))

    def answers(self, asked: Asked, computed: Computed) -> list[Answer]:
        """One for each time, compared with what the files know."""
        with _timed(asked.seconds, "read"):
            return [*self._answers(asked.case, asked.question, computed.u)]

    def write(self, asked: Asked, answers: Sequence[Answer], out: Path) -> None:
        with _timed(asked.seconds, "write"):
            out.parent.mkdir(parents=True, exist_ok=True)
            self._write(asked.case, asked.question, answers, out)

    def done(self, asked: Asked, computed: Computed, answers: Sequence[Answer], out: Path) -> Done:
        question = asked.question
        return Done(
            name=asked.case.name,
            out=str(out),
            count=len(question.reader.points),
            location=self.plan.location,
            errors=_errors(question, answers),
            distance=computed.distance,
            integrals=self._integrals(asked.weights, answers),
            seconds=asked.seconds,
            warnings=(*misplaced(question), *computed.warnings),
        )

    def _ask(self, asked: Asked) -> dict[str, Any]:
        question = asked.question
        with _timed(asked.seconds, "neighbors"):
            flat = question.points.reshape(-1, question.points.shape[-1])
            graph = self.surrogate.graph(flat)
        with _timed(asked.seconds, "predict"):
            given = question.points, question.inputs
            how: dict[str, Any] = {"neighbors": graph, "symmetrize": self.options.symmetrize}
            try:
                if question.series is None:
                    return dict(self.surrogate.predict(*given, question.times, **how))
                u: dict[str, Any] = question.series.predict(self.surrogate, *given, **how)
                several = isinstance(question.times, list)
                return u if several else {name: z[0] for name, z in u.items()}
            except DataError as error:
                raise DataError(f"{asked.case.where}: {error}") from None

    def _distance(self, question: FileQuestion) -> Distance | None:
        if self.surrogate.trust is None:
            return None
        asked, series = (question.points, question.inputs), question.series
        if series is None:
            found = self.surrogate.distances(*asked)
        else:
            found = self.surrogate.distances(*asked, series.first, masks=series.masks)
        return found[0] if found else None

    def _answers(
        self, case: Case, question: FileQuestion, u: Mapping[str, Any]
    ) -> Iterator[Answer]:
        """With the state that the files have at each time."""
        bars = {} if self.surrogate.trust is None else self.surrogate.trust.bars
        if not isinstance(question.times, list):
            steady = None if self.plan.times else question.first
            state = read_state(case, question.moments[0]) if question.moments else steady
            yield Answer(question, u, state, bars)
            return
        for number in range(len(question.times)):
            state = read_state(case, question.moments[number]) if question.moments else None
            yield Answer(question, {name: z[number] for name, z in u.items()}, state, bars)

    def _write(
        self, case: Case, question: FileQuestion, answers: Sequence[Answer], out: Path
    ) -> None:
        empty: dict[str, Any] = {}
        cells = self.plan.location == CELLS
        both = [(empty, a.arrays()) if cells else (a.arrays(), empty) for a in answers]
        if isinstance(question.times, list):
            steps = zip(question.times, *zip(*both, strict=True), strict=True)
            formats.write_series(_sources(case, question), out, steps)
            return
        (points, at_cells), moments = both[0], question.moments
        formats.write_like(
            _sources(case, question)[0],
            out,
            point_fields=points,
            cell_fields=at_cells,
            time=moments[0] if moments and not case.moments else None,
        )

    def _weights(self, case: Case, question: FileQuestion) -> list[Weights]:
        """Of every integral; refused here, before anything is computed."""
        source, cells = _sources(case, question)[0], self.plan.location == CELLS
        return [formats.weights(source, one.where, cells=cells) for one in self.integrals]

    def _integrals(
        self, weights: Sequence[Weights], answers: Sequence[Answer]
    ) -> dict[str, dict[str, Any]]:
        """A value, or one for every time."""

        def listed(values: list[Value]) -> Any:
            return values if len(answers) > 1 else values[0]

        found: dict[str, dict[str, Any]] = {}
        for one, weight in zip(self.integrals, weights, strict=True):
            name = one.source.name
            found[str(one)] = {
                "predicted": listed([one.of(a.predicted[name], weight) for a in answers])
            }
            if all(name in answer.known for answer in answers):
                found[str(one)]["known"] = listed([one.of(a.known[name], weight) for a in answers])
        return found


def _told(caught: Sequence[warnings.WarningMessage]) -> Iterator[str]:
    return (str(one.message) for one in caught if issubclass(one.category, RangeWarning))


def _sources(case: Case, question: FileQuestion) -> list[Path]:
    """Files whose meshes are written back: one, or one for each time."""
    if not case.moments:
        return [case.files[0]]
    if not question.moments:
        return [case.files[-1]]
    return [case.files[case.moments.index(moment)] for moment in question.moments]


def _errors(question: FileQuestion, answers: Sequence[Answer]) -> dict[str, float]:
    """Relative L2 over all times, of a rollout without those that it begins with."""
    series, errors = question.series, {}
    if series is not None:
        answers = [one for number, one in enumerate(answers) if not series.given(number)]
    if not answers:
        return {}
    for name in answers[0].predicted:
        squares = [answer.squares(name) for answer in answers if name in answer.known]
        truth = sum(square for _, square in squares)
        if truth > 0:
            errors[name] = sqrt(sum(square for square, _ in squares) / truth)
    return errors


@contextmanager
def _timed(seconds: dict[str, float], part: str) -> Iterator[None]:
    start = clock.perf_counter()
    try:
        yield
    finally:
        seconds[part] += clock.perf_counter() - start
