"""Where cases come from: a dataset, or a reference solver that makes them while one looks on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Event, Lock, Thread
from typing import Any, Protocol

from llt.data.collate import collate
from llt.data.dataset import Dataset
from llt.data.splits import NAMES, Splits
from llt.errors import BusyError, ConfigError, LltError
from llt.problem import DARCY, Problem
from llt.solvers.base import Solution
from llt.solvers.generate import Job, solve_one
from llt.view.worker import Worker

FEW = 12  # cases that are solved for weights without data


class Cases(Protocol):
    """Cases by their numbers; those of a split may still be in the making."""

    @property
    def problem(self) -> Problem: ...

    @property
    def splits(self) -> Mapping[str, Sequence[int]]: ...

    def find(self, number: int) -> tuple[Dataset, int]:
        """A dataset with this case in it, and its place there."""
        ...

    def ready(self, split: str) -> Sequence[int]: ...

    def close(self) -> None: ...


class StoredCases:
    """Those of a dataset."""

    def __init__(self, data: Dataset) -> None:
        self.data, self.problem = data, data.problem
        self.splits = {name: data.splits[name].tolist() for name in NAMES if data.splits[name].size}

    def find(self, number: int) -> tuple[Dataset, int]:
        return self.data, number

    def ready(self, split: str) -> Sequence[int]:
        return self.splits[split]

    def close(self) -> None:
        if self.data.file is not None:
            self.data.file.close()


class SolvedCases:
    """The first cases of a generated dataset's test split, solved again one after the other."""

    def __init__(self, problem: Problem, job: Job, first: int, count: int = FEW) -> None:
        self.problem, self.job = problem, job
        self.splits = {"test": [*range(first, first + count)]}
        self._solved: dict[int, Dataset] = {}
        self._lock, self._closed = Lock(), Event()
        self._worker = Worker()
        self._error = ""
        self._thread = Thread(target=self._solve, daemon=True)
        self._thread.start()

    @classmethod
    def of_card(cls, problem: Problem, data: Mapping[str, Any]) -> SolvedCases | None:
        """Those of pretrained weights, where their card says how the data were made."""
        about = data["provenance"]
        if about.get("source") != "generated":
            return None
        settings = dict(about["settings"])
        if about["solver"] == DARCY.name and problem.grid is not None:
            settings["stored_resolution"] = problem.grid[0]
        job = Job(about["solver"], about["seed"], settings, about["solver_version"])
        first = data["splits"]["train"] + data["splits"]["val"]
        return cls(problem, job, first, min(FEW, data["splits"]["test"]))

    def find(self, number: int) -> tuple[Dataset, int]:
        with self._lock:
            data = self._solved.get(number)
        if data is None:
            raise BusyError(self._error or f"case {number} is being solved; ask again")
        return data, 0

    def ready(self, split: str) -> Sequence[int]:
        with self._lock:
            return [*self._solved]

    def close(self) -> None:
        self._closed.set()
        self._worker.close()
        self._thread.join()

    def _solve(self) -> None:
        for number in [*self.splits["test"]]:
            if self._closed.is_set():
                return
            try:
                solution = self._worker.call(solve_one, self.job, number)
                data = one_case(self.problem, solution)
            except (LltError, OSError) as error:
                self._error = str(error)
                self.splits["test"].remove(number)
                continue
            with self._lock:
                self._solved[number] = data
        self._worker.close()


def one_case(problem: Problem, solution: Solution) -> Dataset:
    from llt.generation import to_sample

    shape = solution.points.shape[:-1]
    problem = replace(problem, grid=None if problem.grid is None else shape)
    return collate(problem, [to_sample(solution, problem)], Splits.of([], [], [0]))


def place_of(cases: Cases, split: str, number: int) -> tuple[Dataset, int]:
    """The same, of a split and a number that somebody has typed in."""
    if split not in cases.splits:
        raise ConfigError(f"no split {split!r}; there are {', '.join(cases.splits)}")
    if number not in cases.splits[split]:
        raise ConfigError(f"no case {number} in split {split}")
    return cases.find(number)
