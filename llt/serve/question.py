"""Arrays as a question, which may be asked together with others of the same names and shapes."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.errors import DataError, RangeWarning, unknown
from llt.predict import case_distances, check_steps, predict_arrays, trust_arrays
from llt.prediction.batching import cases_per_batch
from llt.prediction.question import Question, read_question, read_times
from llt.problem import BESIDE
from llt.serve.served import Served
from llt.surrogate import Surrogate
from llt.trust.distance import Distance

Arrays = dict[str, NDArray[Any]]
Time = float | tuple[float, ...] | None
BODY = "body"  # as errors call it


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Arrays as `llt predict` writes them, and what is to be said of them."""

    arrays: Arrays
    report: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ArrayQuestion:
    """Read and found right, as far as that needs no model."""

    served: Served
    arrays: Arrays
    time: Time
    steps: int | None
    symmetrize: bool
    kind: Hashable | None = None
    most: int = 1
    notes: Sequence[str] = ()
    distances: Sequence[Distance] = field(default_factory=list)

    def ask(self) -> Answer:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RangeWarning)
            outputs = self._predict(self.arrays)
        outside = [str(one.message) for one in caught if one.category is RangeWarning]
        return self._answer(outputs, outside)

    def ask_with(self, others: Sequence[ArrayQuestion]) -> list[Answer]:
        together = [self, *others]
        stacked = {n: np.stack([one.arrays[n] for one in together]) for n in self.arrays}
        with warnings.catch_warnings(record=True):  # it would be of all of them
            warnings.simplefilter("always", RangeWarning)
            outputs = self._predict(stacked)
        names = {*self.served.surrogate.problem.output_names, *stacked}
        return [
            one._answer({n: z[i] if n in names else z for n, z in outputs.items()}, one._outside())
            for i, one in enumerate(together)
        ]

    def _predict(self, arrays: Arrays) -> Arrays:
        time = [*self.time] if isinstance(self.time, tuple) else self.time
        how: dict[str, Any] = {"time": time, "steps": self.steps, "symmetrize": self.symmetrize}
        return predict_arrays(self.served.surrogate, arrays, **how, where=BODY)

    def _outside(self) -> list[str]:
        surrogate = self.served.surrogate
        if surrogate.ranges is None:
            return []
        times, _ = read_times(surrogate.problem, self.time)
        line = surrogate.ranges.leave(surrogate.problem, _question(surrogate, self.arrays), times)
        return [line] if line else []

    def _answer(self, outputs: Arrays, outside: Sequence[str]) -> Answer:
        surrogate = self.served.surrogate
        arrays = outputs | trust_arrays(surrogate, self.distances)
        warned = [*self.notes, *outside]
        return Answer(arrays=arrays, report=report(self.served, self.distances, warned))


def read_asked(
    served: Served, arrays: Arrays, time: Any, steps: int | None, symmetrize: bool
) -> ArrayQuestion:
    """A question from the arrays of a request; what cannot be answered is refused here."""
    surrogate = served.surrogate
    check_steps(surrogate, time, steps)
    asked = ArrayQuestion(
        served=served,
        arrays=arrays,
        time=tuple(time) if isinstance(time, list) else time,
        steps=steps,
        symmetrize=symmetrize,
        notes=_unused(surrogate, arrays),
    )
    several = surrogate.problem.grid is None and "offsets" in arrays
    if surrogate.frames is not None or several:
        return replace(asked, distances=case_distances(surrogate, arrays))
    given = surrogate.problem.input_names + surrogate.problem.parameter_names
    kept = {name: arrays[name] for name in ("points", *given) if name in arrays}
    try:
        question = _question(surrogate, kept)
    except DataError as error:
        raise DataError("; ".join([str(error), *asked.notes])) from None
    read_times(surrogate.problem, time)
    known = surrogate.trust
    distances = [] if known is None else known.distances(surrogate.describer, question)
    asked = replace(asked, arrays=kept, distances=distances)
    if question.batch or not kept:
        return asked
    for name in surrogate.problem.parameter_names:
        kept[name] = np.reshape(kept[name], ())
    shapes = tuple((name, value.shape) for name, value in sorted(kept.items()))
    return replace(
        asked,
        kind=(served.name, asked.time, symmetrize, shapes),
        most=cases_per_batch(question.x.shape[1]),
    )


def report(
    served: Served, distances: Sequence[Distance], warned: Sequence[str], **beside: Any
) -> dict[str, Any]:
    """How far to trust an answer."""
    trust = served.surrogate.trust
    found: dict[str, Any] = {"run": served.name, "bars": {} if trust is None else trust.bars}
    if distances:
        far = max(distances, key=lambda one: one.value)
        beyond = sum(one.value > 1 for one in distances)
        found |= {"distance": far.value, "group": far.group, "unfamiliar": beyond}
    return found | beside | {"warnings": [*warned]}


def _question(surrogate: Surrogate, arrays: Mapping[str, Any]) -> Question:
    given = {name: value for name, value in arrays.items() if name != "points"}
    points = arrays.get("points")
    return read_question(surrogate.problem, points, given, None, surrogate.own_mesh)


def _unused(surrogate: Surrogate, arrays: Mapping[str, Any]) -> list[str]:
    """Names that mean nothing here: a word on those that are misspelled."""
    problem = surrogate.cases
    names = {*BESIDE, *problem.input_names, *problem.parameter_names}
    known = names | {*problem.output_names, *problem.mask_names}
    others = [name for name in arrays if name.rpartition("/")[2] not in known]
    return [f"not used: {unknown('field', name[:50], names)}" for name in others[:5]]
