"""One job in many parts, on machines that share a disk or only send folders; then one dataset.

Part 3 of 64 has a folder of its own, `FILE.part-3-of-64`, with the samples and a record of what
they are of, so that parts never disturb each other and can be put together with all checks.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.errors import ConfigError, DataError
from llt.generation import EXISTS, Progress, Solved, planned, silent, write_file
from llt.problem import find_problem
from llt.runtime.files import check_place, remove_abandoned, write_json
from llt.runtime.lock import claimed
from llt.runtime.reading import read_json, reading
from llt.solvers.base import Solution
from llt.solvers.generate import Job, solve_parts
from llt.solvers.parts import SIGNED, Parts

OTHERS = "another seed, number, setting or solver version"
SECONDS = "seconds.json"  # what a sample took, for the dataset's provenance


@dataclass(frozen=True)
class Part:
    """Consecutive samples of a job; parts count from 1."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise ConfigError(f"part {self}: parts count from 1/{self.of} to {self.of}/{self.of}")

    @classmethod
    def parse(cls, text: str) -> Part:
        try:
            number, of = map(int, text.split("/"))
        except ValueError:
            raise ConfigError(f"--part {text}: expected PART/PARTS, as 3/64") from None
        if of < 1:
            raise ConfigError(f"--part {text}: there must be at least one part, as 1/1")
        return cls(number, of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def samples(self, num: int) -> range:
        return range(num * (self.number - 1) // self.of, num * self.number // self.of)

    def folder(self, out: Path) -> Path:
        return out.with_name(f"{out.name}.part-{self.number}-of-{self.of}")


def generate_part(
    problem: str,
    out: Path,
    part: Part,
    *,
    counts: tuple[int, int, int],
    seed: int = 0,
    workers: int = 0,
    executor: Executor | None = None,
    resume: bool = False,
    force: bool = False,
    settings: dict[str, Any] | None = None,
    progress: Progress = silent,
) -> Path:
    """Solve one part of the samples that are to be joined into `out`; their folder, beside it.

    Args:
        counts: how many samples the three splits of the whole get.
        workers: processes; 0 takes one per core.
        executor: solves the samples, instead of processes made here.
        resume: go on with what is there of this part.
        force: `out` is to be replaced.
    """
    job = planned(problem, out, seed=seed, workers=workers, executor=executor, settings=settings)
    if out.exists() and not force:
        raise ConfigError(f"{out}: {EXISTS}")
    if part.of > sum(counts):
        raise ConfigError(f"--part {part}: more parts than samples, which are {sum(counts)}")
    samples, folder = part.samples(sum(counts)), part.folder(out)
    with claimed(folder):
        own = Parts(folder, _Piece.about(job, counts, part), OTHERS)
        if own.record.exists() and not resume:
            raise ConfigError(f"{folder}: was begun already; --resume it or remove the folder")
        with progress(f"generating {problem}, part {part}", len(samples)) as advance:
            cores = workers or os.cpu_count() or 1
            seconds = solve_parts(
                job, samples, own, workers=cores, executor=executor, on_sample=advance
            )
        if seconds is not None:
            write_json(folder / SECONDS, {"per_sample": seconds})
    return folder


def join_parts(
    folders: Sequence[Path], out: Path, *, force: bool = False, progress: Progress = silent
) -> Dataset:
    """Put all parts of a job together into one dataset file; the parts stay where they are."""
    if out.is_dir():
        raise ConfigError(f"{out}: is a folder; give the file to write")
    if out.exists() and not force:
        raise ConfigError(f"{out}: {EXISTS}")
    pieces = sorted(map(_Piece.read, folders), key=lambda piece: piece.part.number)
    _check_together(pieces)
    job, counts = pieces[0].job, pieces[0].counts
    check_place(out)
    lock = out.with_name(out.name + ".parts")  # as of a job that writes this file
    with claimed(lock):
        if (lock / "job.json").exists():
            raise ConfigError(f"{lock}: left by an interrupted job; --resume it or remove it")
        try:
            remove_abandoned(out.parent, out.name)
            with progress(f"joining {job.problem}", sum(counts)) as advance:

                def solutions() -> Iterator[Solution]:
                    for piece in pieces:
                        for index in piece.samples:
                            yield piece.parts.read(index)
                            advance()

                write_file(out, job, Solved(solutions(), _mean_seconds(pieces)), counts)
        finally:
            shutil.rmtree(lock, ignore_errors=True)
    return dataset_file.read(out)


@dataclass(frozen=True)
class _Piece:
    """A part as it is found in a folder."""

    folder: Path
    job: Job
    counts: tuple[int, int, int]
    part: Part

    @staticmethod
    def about(job: Job, counts: tuple[int, int, int], part: Part) -> dict[str, Any]:
        """The record in the folder."""
        return {**asdict(job), "counts": [*counts], "part": part.number, "of": part.of}

    @classmethod
    def read(cls, folder: Path) -> _Piece:
        path = folder / "job.json"
        found = read_json(path) if path.is_file() else {}
        found.pop(SIGNED, None)
        if "part" not in found:
            raise DataError(f"{folder}: not a part; expected a folder of llt generate --part")
        with reading(path):
            part = Part(int(found.pop("part")), int(found.pop("of")))
            train, val, test = map(int, found.pop("counts"))
            job = Job(**found)
            find_problem(job.problem)
            if min(train, val, test) < 1 or not isinstance(job.settings, dict):
                raise ValueError("no job has such numbers or settings")
        return cls(folder, job, (train, val, test), part)

    @property
    def parts(self) -> Parts:
        return Parts(self.folder, self.about(self.job, self.counts, self.part), OTHERS)

    @property
    def samples(self) -> range:
        return self.part.samples(sum(self.counts))

    def traits(self) -> dict[str, Any]:
        """What all parts of a job have in common, by its name for people."""
        return {
            "problem": self.job.problem,
            "solver version": self.job.version,
            "seed": self.job.seed,
            "--num": ",".join(map(str, self.counts)),
            "number of parts": self.part.of,
            **self.job.settings,
        }


def _check_together(pieces: list[_Piece]) -> None:
    """Parts of one job, each once, with all their samples."""
    if not pieces:
        raise ConfigError("no parts; give the folders of llt generate --part")
    first, of = pieces[0], pieces[0].part.of
    seen: dict[int, Path] = {}
    for piece in pieces:
        _check_same_job(first, piece)
        if (number := piece.part.number) in seen:
            raise DataError(
                f"{piece.folder}: part {piece.part}, which {seen[number]} is, too; give each once"
            )
        seen[number] = piece.folder
    if len(seen) < of:
        absent = [str(n) for n in islice((n for n in range(1, of + 1) if n not in seen), 3)]
        raise DataError(
            f"{of - len(seen)} of {of} parts missing, the first: {', '.join(absent)}; give all"
        )
    for piece in pieces:
        paths = map(piece.parts.path, piece.samples)
        if lost := [*islice((path.name for path in paths if not path.is_file()), 3)]:
            raise DataError(
                f"{piece.folder}: samples missing, the first: {', '.join(lost)}; "
                f"finish it with llt generate --part {piece.part} --resume"
            )


def _check_same_job(first: _Piece, other: _Piece) -> None:
    ours, theirs = first.traits(), other.traits()
    for name in ours | theirs:
        if ours.get(name) != theirs.get(name):
            raise DataError(
                f"{other.folder}: {name} {theirs.get(name)}, but {ours.get(name)} in "
                f"{first.folder}; parts to be joined must be of one job"
            )


def _mean_seconds(pieces: list[_Piece]) -> float | None:
    paths = [piece.folder / SECONDS for piece in pieces]
    known = [read_json(path).get("per_sample") for path in paths if path.is_file()]
    seconds = [value for value in known if isinstance(value, float)]
    return float(np.mean(seconds)) if seconds else None
