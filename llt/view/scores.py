"""Errors of cases and their distances from the training cases: kept ones, others in the background.

Work in the background waits while somebody waits for an answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread

import numpy as np

from llt.checkpoint import checkpoint_folder, read_weights
from llt.data.dataset import Dataset
from llt.errors import LltError
from llt.evaluation.kept import kept_evaluation
from llt.evaluation.metrics import Evaluation
from llt.evaluation.rollouts import case_errors
from llt.evaluation.trust import case_numbers
from llt.surrogate import Surrogate
from llt.trust.distance import find_distance
from llt.view.cases import Cases

QUIET = 0.5  # seconds since the last question


@dataclass(frozen=True)
class Score:
    error: float | None = None  # relative L2 of all fields together
    errors: Mapping[str, float] = field(default_factory=dict)  # of each
    distance: float | None = None
    problem: str = ""  # why there is none


class Scores:
    """Of all cases that were asked for so far."""

    def __init__(self, surrogate: Surrogate, cases: Cases) -> None:
        self.surrogate, self._cases = surrogate, cases
        self._known: dict[int, Score] = {}
        self._asked: set[int] = set()
        self._queue: Queue[int] = Queue()
        self._closed, self._busy = Event(), 0.0
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def keep(self, evaluation: Evaluation) -> None:
        """Take those of an evaluation, which need not be computed again."""
        trust = evaluation.trust
        distances = trust.distances if trust is not None and trust.distances else None
        for place, number in enumerate(evaluation.indices):
            self._known[number] = Score(
                evaluation.per_sample[place],
                {name: column[place] for name, column in evaluation.field_errors.items()},
                distances[place] if distances else None,
            )

    def of(self, numbers: list[int]) -> dict[int, Score]:
        """Those that are known; the others are found out in the background."""
        for number in numbers:
            if number not in self._known and number not in self._asked:
                self._asked.add(number)
                self._queue.put(number)
        return {number: self._known[number] for number in numbers if number in self._known}

    def step_back(self) -> None:
        """Somebody waits for an answer."""
        self._busy = time.monotonic()

    def close(self) -> None:
        """Ends when the case at hand is done: a process cannot end in the middle of a product."""
        self._closed.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._closed.is_set():
            if time.monotonic() - self._busy < QUIET:
                time.sleep(QUIET / 5)
                continue
            with suppress(Empty):
                number = self._queue.get(timeout=QUIET)
                self._known[number] = self._find(number)

    def _find(self, number: int) -> Score:
        try:
            data, place = self._cases.find(number)
            return score(self.surrogate, data, place)
        except (LltError, OSError) as error:
            return Score(problem=str(error))


def score(surrogate: Surrogate, data: Dataset, place: int) -> Score:
    indices = np.array([place])
    errors = case_errors(surrogate, data, indices)
    names = data.problem.output_names
    distance = None
    if surrogate.trust is not None and surrogate.trust.groups:
        (numbers,) = case_numbers(surrogate, data, indices, moments=1)
        distance = find_distance(surrogate.trust.groups, numbers).value
    fields = dict(zip(names, errors.fields[0].tolist(), strict=True))
    return Score(errors.total[0].item(), fields, distance)


def kept_scores(run: Path, data: Dataset) -> Evaluation | None:
    """What the run keeps about these data and its weights, if it does."""
    found = kept_evaluation(run)
    if found is None or found.data_hash != data.hash:
        return None
    return found if found.checkpoint == read_weights(checkpoint_folder(run))[1] else None
