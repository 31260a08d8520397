"""The whole way of new cases: read, search neighbors, predict, write the user's own mesh back."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from math import sqrt
from pathlib import Path
from typing import Any

from llt.data import formats
from llt.data.arrays import SUFFIXES
from llt.data.dataset_file import is_dataset
from llt.data.folder.cases import Case, find_cases
from llt.data.folder.look import CELLS
from llt.data.folder.plan import Plan
from llt.data.folder.states import read_state
from llt.data.formats import Weights
from llt.errors import ConfigError, DataError, RangeWarning
from llt.own_mesh.answer import Answer
from llt.own_mesh.integrals import Integral, Value, read_integrals
from llt.own_mesh.numbers import Numbers, find_numbers
from llt.own_mesh.question import FileQuestion, Times, ask, misplaced
from llt.surrogate import Surrogate
from llt.trust.distance import Distance

PARTS = ("read", "neighbors", "predict", "write")


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """Of predictions for files."""

    parameters: Mapping[str, float] = field(default_factory=dict)  # of all cases
    table: Path | None = None  # of case parameters
    time: Times = None
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


def is_of_files(surrogate: Surrogate, new: Path) -> bool:
    """Whether new cases are files of simulation programs, rather than arrays of our own."""
    ours = new.is_file() and new.suffix.lower() in SUFFIXES
    if surrogate.files is not None:
        return not (ours and is_dataset(new))
    return new.is_dir() or (formats.is_readable(new) and not ours)


def predict_files(
    surrogate: Surrogate,
    new: Path,
    out: Path,
    options: Options | None = None,
    *,
    advance: Callable[[], None] = lambda: None,
    tell: Callable[[str], None] = lambda line: None,
) -> tuple[list[Done], dict[str, str]]:
    """Predict a case into a file, or a folder of cases into a folder.

    Args:
        tell: is told where parameters come from, if they come from a table that was found.
    Returns:
        what was done, and which cases could not be: why, by name.
    """
    options = options or Options()
    plan = surrogate.files
    if plan is None:
        raise ConfigError(
            f"{new}: the model was not trained on a file of llt prepare, so nothing says which "
            "arrays are its inputs; give them as .npz or .h5"
        )
    if options.time is not None and not plan.times:
        raise ConfigError(f"--time {options.time}: the model knows no times; leave it out")
    cases, table, single = _find(new, plan, options.table, out)
    if table is not None and options.table is None:
        tell(f"parameters from {table}")
    numbers = find_numbers(plan, options.parameters, table, [case.name for case in cases])
    integrals = read_integrals(options.integrate, plan)
    places = [_place(case, plan, out, single, options) for case in cases]
    job = _Job(surrogate, plan, numbers, integrals, options)
    done, bad = list[Done](), dict[str, str]()
    for case, place in zip(cases, places, strict=True):
        try:
            done.append(job.predict(case, place))
        except DataError as error:
            if single:
                raise
            bad[case.name] = str(error)
        advance()
    return done, bad


def num_cases(surrogate: Surrogate, new: Path, options: Options, out: Path) -> int:
    """How many cases there are to predict."""
    plan = surrogate.files
    return 1 if plan is None else len(_find(new, plan, options.table, out)[0])


def _find(
    new: Path, plan: Plan, table: Path | None, out: Path
) -> tuple[list[Case], Path | None, bool]:
    """The cases, the table of their parameters, and whether there is one case in a file alone."""
    if not new.is_dir() or formats.is_readable(new):
        formats.format_of(new)
        return [Case(name=new.resolve().stem, files=(new,))], table, True
    found = find_cases(
        new,
        files=plan.files,
        steps=plan.steps,
        table=None if table is None else str(table),
        leave=out,
    )
    if table is None and plan.columns and len(found.tables) == 1:
        table = found.tables[0]
    return [*found.cases], table, False


def _place(case: Case, plan: Plan, out: Path, single: bool, options: Options) -> Path:
    """Where a case goes; refused before anything is computed."""
    source = case.files[-1 if case.moments else 0]
    series = bool(plan.times) and not isinstance(options.time, float)
    suffix = formats.series_suffix(source) if series else formats.suffix_for(source)
    place = out if single else out / f"{case.name}{suffix}"
    if place.suffix != suffix:
        raise ConfigError(
            f"{out}: what is written for {source.name} is a {suffix} file; "
            f"name it {out.with_suffix(suffix).name}"
        )
    if place.exists() and not options.force:
        raise ConfigError(f"{place}: already exists; choose another -o, or --force to replace it")
    if place.resolve() in [path.resolve() for path in case.files]:
        raise ConfigError(f"{place}: is the case itself; choose another -o")
    return place


@dataclass(frozen=True, slots=True)
class _Job:
    """All that is the same for every case."""

    surrogate: Surrogate
    plan: Plan
    numbers: Numbers
    integrals: Sequence[Integral]
    options: Options

    def predict(self, case: Case, out: Path) -> Done:
        seconds = dict.fromkeys(PARTS, 0.0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RangeWarning)
            with _timed(seconds, "read"):
                question = ask(case, self.plan, self.numbers, self.options.time)
                weights = self._weights(case, question)
            u = self._ask(case, question, seconds)
            with _timed(seconds, "read"):
                answers = [*self._answers(case, question, u)]
            with _timed(seconds, "write"):
                out.parent.mkdir(parents=True, exist_ok=True)
                self._write(case, question, answers, out)
        return Done(
            name=case.name,
            out=str(out),
            count=len(question.reader.points),
            location=self.plan.location,
            errors=_errors(answers),
            distance=self._distance(question),
            integrals=self._integrals(weights, answers),
            seconds=seconds,
            warnings=(*misplaced(question), *_told(caught)),
        )

    def _ask(self, case: Case, question: FileQuestion, seconds: dict[str, float]) -> dict[str, Any]:
        with _timed(seconds, "neighbors"):
            flat = question.points.reshape(-1, question.points.shape[-1])
            graph = self.surrogate.graph(flat)
        with _timed(seconds, "predict"):
            try:
                return dict(
                    self.surrogate.predict(
                        question.points,
                        question.inputs,
                        question.times,
                        neighbors=graph,
                        symmetrize=self.options.symmetrize,
                    )
                )
            except DataError as error:
                raise DataError(f"{case.where}: {error}") from None

    def _distance(self, question: FileQuestion) -> Distance | None:
        if self.surrogate.trust is None:
            return None
        found = self.surrogate.distances(question.points, question.inputs)
        return found[0] if found else None

    def _answers(self, case: Case, question: FileQuestion, u: dict[str, Any]) -> Iterator[Answer]:
        """One for each time, compared with the state that the files have at it."""
        if not isinstance(question.times, list):
            steady = None if self.plan.times else question.first
            state = read_state(case, question.moments[0]) if question.moments else steady
            yield Answer(question, u, state)
            return
        for number in range(len(question.times)):
            state = read_state(case, question.moments[number]) if question.moments else None
            yield Answer(question, {name: z[number] for name, z in u.items()}, state)

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


def _errors(answers: Sequence[Answer]) -> dict[str, float]:
    """Relative L2 over all times."""
    errors = {}
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
