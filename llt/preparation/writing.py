"""The dataset file, written from the parts one by one, after the samples it had before."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.dataset_writer import DatasetWriter
from llt.data.folder.boxes import mix_ups
from llt.data.sample import Sample
from llt.data.splits import NAMES, Splits
from llt.errors import DataError
from llt.generation import split_counts, to_sample
from llt.preparation.tasks import FEWEST, Task
from llt.problem import Problem
from llt.runtime.device import find_device
from llt.runtime.environment import environment
from llt.solvers.parts import Parts

SAID = 5  # cases with strange boxes, by name


def write_file(
    out: Path,
    problem: Problem,
    parts: Parts,
    tasks: list[Task],
    *,
    base: Dataset | None,
    about: dict[str, Any],
    advance: Callable[[], None],
) -> None:
    """The samples of the base, then a sample of every task.

    Args:
        about: provenance; of a base only what is skipped is added.
    """
    count = len(tasks) + (0 if base is None else len(base))
    if count < FEWEST:
        raise DataError(f"{out}: {count} cases are left, at least {FEWEST} are needed")
    splits = draw_splits(count, about["seed"], None if base is None else base.splits)
    times = np.array(about["plan"]["times"]) if problem.timed else None
    corners: list[tuple[NDArray[Any], NDArray[Any]]] = []
    duplicates: list[float] = []
    with DatasetWriter(out, problem, times=times) as writer:
        for sample, twice in _samples(parts, tasks, problem, base):
            corners.append((sample.points.min(axis=0), sample.points.max(axis=0)))
            duplicates.append(twice)
            writer.add(sample)
            advance()
        records = _records(tasks, duplicates, base)
        about = about | {"environment": environment(find_device("cpu"))}
        if base is not None:
            about = {**base.provenance, "skipped": base.provenance["skipped"] | about["skipped"]}
        writer.finish(splits, records=records, provenance=about)
    _warn(records, corners)


def _samples(
    parts: Parts, tasks: list[Task], problem: Problem, base: Dataset | None
) -> Iterator[tuple[Sample, float]]:
    """Each with the number of its points that lie where another one does."""
    if base is not None:
        for index, twice in enumerate(base.records["duplicates"]):
            yield base.sample(index), twice
    for task in tasks:
        solution = parts.read(task.key)
        yield to_sample(solution, problem), solution.info["duplicates"]


def _records(
    tasks: list[Task], duplicates: list[float], base: Dataset | None
) -> dict[str, NDArray[Any]]:
    words = {
        "name": np.array([task.case.name.encode() for task in tasks], np.bytes_),
        "fingerprint": np.array([task.fingerprint.encode() for task in tasks], np.bytes_),
    }
    if base is not None:
        words = {name: np.concatenate([base.records[name], new]) for name, new in words.items()}
    return {**words, "duplicates": np.array(duplicates, np.int64)}


def _warn(records: dict[str, NDArray[Any]], corners: list[tuple[NDArray[Any], Any]]) -> None:
    names = [name.decode() for name in records["name"]]
    low, high = (np.array(side, np.float64) for side in zip(*corners, strict=True))
    strange = mix_ups(names, low, high)
    for line in strange[:SAID]:
        warnings.warn(line, stacklevel=3)
    if len(strange) > SAID:
        warnings.warn(f"and {len(strange) - SAID} more such boxes", stacklevel=3)
    twice = np.flatnonzero(records["duplicates"])
    if len(twice):
        first = twice[0]
        who = "1 case has" if len(twice) == 1 else f"{len(twice)} cases have"
        warnings.warn(
            f"{who} points that lie where another one does, as {names[first]} "
            f"{records['duplicates'][first]}; they are kept",
            stacklevel=3,
        )


def draw_splits(num: int, seed: int, before: Splits | None = None) -> Splits:
    """5:1:1 by case; what was in a split stays there, and new cases fill them up."""
    kept = {name: np.empty(0, np.int64) if before is None else before[name] for name in NAMES}
    old = sum(map(len, kept.values()))
    order = old + np.random.default_rng([seed, old]).permutation(num - old)
    _, *held_out = split_counts(num)
    parts = []
    for name, wanted in zip(NAMES[1:], held_out, strict=True):
        count = max(0, wanted - len(kept[name]))
        parts.append(np.sort(np.concatenate([kept[name], order[:count]])))
        order = order[count:]
    return Splits.of(np.sort(np.concatenate([kept["train"], order])), *parts)
