"""Writing a dataset file sample by sample: memory does not grow with their number.

The file starts out as if all samples had the same points and the same number of them, which the
samples to come may refute: then points are written for every sample, and the file turns ragged.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from llt.data.checks import check_sample, check_times
from llt.data.dataset import VERSION, dataset_hash
from llt.data.hdf5 import new_file
from llt.data.sample import Sample, checksum
from llt.data.splits import NAMES, Splits
from llt.errors import DataError
from llt.problem import Problem

FORMAT = "llt-dataset"
CHUNK = 2**16  # bytes that a chunk should have at least


class DatasetWriter:
    """`add` the samples, then `finish`; a file that is not finished is not there."""

    def __init__(
        self, path: Path, problem: Problem, *, times: NDArray[np.float64] | None = None
    ) -> None:
        if problem.timed != (times is not None):
            raise DataError(f"{problem.name}: output times are needed exactly on timed problems")
        problem.check_names()
        self.path, self.problem = path, problem
        self.times = None if times is None else np.asarray(times, np.float64)
        if self.times is not None:
            check_times(self.times, problem.name)
        self._counts: list[int] = []
        self._checksums: list[str] = []
        self._numbers: dict[str, list[NDArray[np.float32]]] = {"parameters": [], "derived": []}
        self._columns: dict[str, _Column] = {}
        self._ragged = False
        self._finished = False
        self._stack = ExitStack()

    def __enter__(self) -> DatasetWriter:
        self._file, self._output = self._stack.enter_context(new_file(self.path))
        for group in ("inputs", "outputs"):
            self._file.create_group(group)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None and not self._finished:
            error = DataError(f"{self.path}: writing ended without `finish`")
            self._stack.__exit__(type(error), error, trace)
            raise error
        self._stack.__exit__(kind, error, trace)

    def add(self, sample: Sample) -> None:
        sample = sample.in_single_precision()
        check_sample(sample, self.problem, self.times, len(self._counts))
        parts = _parts(sample, self.problem)
        if not self._columns:
            self._columns = {name: self._column(name, value) for name, value in parts.items()}
        if parts.keys() != self._columns.keys():
            raise DataError(
                f"{self.problem.name}: sample {len(self._counts)} has {', '.join(parts)}; "
                f"those before have {', '.join(self._columns)}"
            )
        if not self._ragged and self._counts and len(sample.points) != self._counts[-1]:
            self._ragged = True
            for column in self._columns.values():
                column.become_ragged()
        for name, value in parts.items():
            self._columns[name].add(value)
        self._counts.append(len(sample.points))
        self._checksums.append(checksum(sample))
        for name, rows in self._numbers.items():
            rows.append(getattr(sample, name))
        self._output.check()

    def finish(
        self,
        splits: Splits,
        *,
        provenance: dict[str, Any] | None = None,
        records: dict[str, NDArray[Any]] | None = None,
    ) -> None:
        """Write what belongs to all samples together."""
        if not self._counts:
            raise DataError(f"{self.path}: a dataset needs at least one sample")
        splits.check(len(self._counts))
        file = self._file
        for column in self._columns.values():
            column.finish()
        for group, rows in self._numbers.items():
            for channel, name in enumerate(field.name for field in getattr(self.problem, group)):
                file[f"{group}/{name}"] = np.stack(rows)[:, channel]
        if self._ragged:
            file["offsets"] = np.cumsum([0, *self._counts])
        if self.times is not None:
            file["times"] = self.times
        for name in NAMES:
            file[f"splits/{name}"] = splits[name]
        for name, record in (records or {}).items():
            file[f"samples/{name}"] = record
        problem = json.dumps(self.problem.to_dict())
        checksums = np.array(self._checksums, "S16")
        file["checksums"] = checksums
        file.attrs.update(
            format=FORMAT,
            version=VERSION,
            problem=problem,
            problem_hash=text_hash(problem),
            provenance=json.dumps(provenance or {}),
            hash=dataset_hash(splits, self.times, checksums),
        )
        self._finished = True

    def _column(self, name: str, value: NDArray[Any]) -> _Column:
        fixed = name.startswith(("inputs/", "outputs/"))
        return _Column(self._file, name, value, self.problem.grid, may_be_shared=not fixed)


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _parts(sample: Sample, problem: Problem) -> dict[str, NDArray[Any]]:
    """What a sample adds to the arrays of the file, by their names there."""
    parts: dict[str, NDArray[Any]] = {"points": sample.points}
    for group in ("inputs", "outputs"):
        for channel, field in enumerate(getattr(problem, group)):
            parts[f"{group}/{field.name}"] = getattr(sample, group)[..., channel]
    return parts | {f"masks/{name}": mask for name, mask in sample.masks.items()}


class _Column:
    """One array of the file: shared by all samples, one row per sample, or ragged."""

    def __init__(
        self,
        file: h5py.File,
        name: str,
        like: NDArray[Any],
        grid: tuple[int, ...] | None,
        *,
        may_be_shared: bool,
    ) -> None:
        self.file, self.name, self.grid = file, name, grid
        self.axis = 0 if name == "points" else like.ndim - 1  # of the points in a sample's part
        self.first = like if may_be_shared else None  # of all samples, as long as it is shared
        self.count = 0
        self.ragged = False
        self.stored: h5py.Dataset | None = None

    def add(self, value: NDArray[Any]) -> None:
        if self.first is not None and not np.array_equal(value, self.first):
            self._spell_out()
        if self.first is None:
            self._append(value)
        self.count += 1

    def become_ragged(self) -> None:
        self.ragged = True
        if self.first is not None:
            self._spell_out()
            return
        assert self.stored is not None
        before, self.stored = self.stored, None
        self.file.move(self.name, f"{self.name} before")
        for row in range(self.count):
            self._append(before[row])
        del self.file[f"{self.name} before"]

    def finish(self) -> None:
        if self.first is not None:
            value = self._on_grid(self.first)
            self.file.create_dataset(self.name, data=value, **_compression(value))

    def _spell_out(self) -> None:
        """Write for every sample so far what was shared until now."""
        assert self.first is not None
        value, self.first = self.first, None
        for _ in range(self.count):
            self._append(value)

    def _append(self, value: NDArray[Any]) -> None:
        if not self.ragged:
            value = self._on_grid(value)[None]
        axis = self.axis if self.ragged else 0
        if self.stored is None:
            self.stored = self._create(value, axis)
        end = self.stored.shape[axis]
        self.stored.resize(end + value.shape[axis], axis=axis)
        self.stored[(slice(None),) * axis + (slice(end, None),)] = value

    def _create(self, like: NDArray[Any], axis: int) -> h5py.Dataset:
        def along(size: int | None) -> tuple[int | None, ...]:
            return (*like.shape[:axis], size, *like.shape[axis + 1 :])

        return self.file.create_dataset(
            self.name,
            shape=along(0),
            maxshape=along(None),
            dtype=like.dtype,
            chunks=self._chunk(like),
            **_compression(like),
        )

    def _chunk(self, like: NDArray[Any]) -> tuple[int, ...]:
        """One sample at one time, or as many as make up a chunk worth compressing."""
        if self.ragged:
            rows = CHUNK // like.itemsize
            return (
                tuple(rows if i == self.axis else 1 for i in range(self.axis + 1))
                + (like.shape[self.axis + 1 :])
            )
        chunk = list(like.shape)
        if self.axis == 1:  # there are times
            moment = like.nbytes // like.shape[1]
            chunk[1] = min(like.shape[1], max(1, CHUNK // max(moment, 1)))
        chunk[0] = max(1, CHUNK // (int(np.prod(chunk)) * like.itemsize))
        return tuple(chunk)

    def _on_grid(self, value: NDArray[Any]) -> NDArray[Any]:
        if self.grid is None:
            return value
        return value.reshape(*value.shape[: self.axis], *self.grid, *value.shape[self.axis + 1 :])


def _compression(array: NDArray[Any]) -> dict[str, Any]:
    # gzip 1 with shuffle halves smooth fields at little cost
    if not array.size:
        return {}
    return {"compression": "gzip", "compression_opts": 1, "shuffle": True}
