"""The dataset file: one HDF5 file, readable with h5py alone (docs/data-format.md).

attributes        format, version, problem (JSON) and its hash, provenance (JSON), hash
points            (*grid, d) shared, (S, *grid, d), (S, N, d), or ragged (P, d)
inputs/NAME       (S, *grid), (S, N) or ragged (P,); with times (S, T, ...), ragged (T, P)
outputs/NAME      the same
masks/NAME        (*grid) shared, (S, *grid), (N,), (S, N), or ragged (P,)
parameters/NAME   (S,) numbers of a case that go in
derived/NAME      (S,) numbers that follow from its solution
weights/NAME/OUTPUT
                  as masks: what an output adds to a derived number, point by point
offsets, times    where they apply
splits/NAME       sample indices of train, val, test
samples/NAME      per-sample records of the solver
checksums         (S,) one per sample, checked when the sample is read

A user's own file may have neither attributes nor checksums (`data.own_file`).
Version 1 has one hash over all numbers in place of checksums, and is read as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from llt.data.contents import REAL, attribute, datasets, entry, members, num_bytes
from llt.data.dataset import VERSION, Dataset
from llt.data.dataset_writer import FORMAT, DatasetWriter, text_hash
from llt.data.hdf5 import open_file
from llt.data.own_file import infer_problem, is_own_file, own_splits
from llt.data.sample import Floats
from llt.data.splits import NAMES, Splits
from llt.data.stored import BOOL, FLOAT, Stored, StoredFile
from llt.errors import DataError
from llt.problem import Problem
from llt.runtime.limits import check_size
from llt.runtime.reading import check_file, reading

RECORDED = f"{REAL}S"  # numbers and words
SINGLY = ("points", "inputs", "outputs", "masks", "weights")  # read sample by sample


def write(path: Path, data: Dataset) -> None:
    with DatasetWriter(path, data.problem, times=data.times) as writer:
        for index in range(len(data)):
            writer.add(data.sample(index))
        writer.finish(data.splits, provenance=data.provenance, records=data.records)


def is_dataset(path: Path) -> bool:
    """Whether a file is one that `DatasetWriter` wrote."""
    if not h5py.is_hdf5(path):
        return False
    with open_file(path) as file:
        return attribute(file, "format") == FORMAT


def read(path: Path) -> Dataset:
    """A dataset file, whose samples are read and checked when they are asked for."""
    check_file(path)
    with ExitStack() as failed, reading(path):
        file = StoredFile(path)
        failed.callback(file.close)
        data = _read(file)
        failed.pop_all()
    return data


def _read(stored: StoredFile) -> Dataset:
    file = stored.handle()
    check_size(stored.path, _bytes_at_once(file), "what belongs to all samples")
    own = is_own_file(file)
    version = VERSION if own else _version(file)
    if own:
        problem, splits = infer_problem(file, stored.path.stem), own_splits(file)
    else:
        problem = _problem(file)
        splits = Splits.of(*(entry(file, f"splits/{name}")[()] for name in NAMES))
    outputs = _fields(stored, "outputs", problem.output_names, problem)
    inputs: Floats | Stored
    if problem.inputs:
        inputs = _fields(stored, "inputs", problem.input_names, problem)
    else:
        rows = outputs.shape[:-1]
        if problem.timed:
            rows = rows[1:] if "offsets" in file else (rows[0], *rows[2:])
        inputs = np.empty((*rows, 0), np.float32)
    if version > 1 and "checksums" in file:
        stored.checksums = entry(file, "checksums", kinds="S")[()]
    points = _single(stored, "points", problem, dtype=FLOAT, behind=1)
    data = Dataset(
        problem=problem,
        points=points[:] if points.ndim == 2 and "offsets" not in file else points,
        inputs=inputs,
        outputs=outputs,
        offsets=entry(file, "offsets")[()] if "offsets" in file else None,
        times=entry(file, "times")[()] if "times" in file else None,
        masks={
            name: _single(stored, f"masks/{name}", problem, dtype=BOOL)
            for name in members(file, "masks")
        },
        parameters=_numbers(file, "parameters", problem.parameter_names),
        derived=_numbers(file, "derived", problem.derived_names),
        weights={
            name: _single(stored, f"weights/{name}", problem, dtype=FLOAT)
            for name in _weight_names(file)
        },
        splits=splits,
        provenance=json.loads(attribute(file, "provenance", '{"source": "own file"}')),
        records={
            name: entry(file, f"samples/{name}", RECORDED)[()] for name in members(file, "samples")
        },
        file=stored,
        version=version,
    )
    if version == 1:
        data = data.load()
    elif stored.checksums is not None and len(stored.checksums) != len(data):
        raise DataError(f"{len(stored.checksums)} checksums for {len(data)} samples")
    written = attribute(file, "hash")  # without one there is nothing to compare with
    if written and data.hash != written:
        raise DataError(f"contents have hash {data.hash}, written as {written}")
    if data.file is None:
        stored.close()
    return data


def _version(file: h5py.File) -> int:
    if attribute(file, "format") != FORMAT:
        raise DataError(
            "not an llt dataset: it has no attribute format, nor points and outputs/NAME"
        )
    version = attribute(file, "version")
    if version not in ("1", str(VERSION)):
        raise DataError(f"file version {version}, this llt reads 1 and {VERSION}")
    return int(version)


def _problem(file: h5py.File) -> Problem:
    text = attribute(file, "problem")
    written = attribute(file, "problem_hash")  # files of earlier days have none
    if written and text_hash(text) != written:
        raise DataError(f"damaged: problem has hash {text_hash(text)}, written as {written}")
    return Problem.from_dict(json.loads(text))


def _bytes_at_once(file: h5py.File) -> int:
    """Of all that is not read sample by sample."""
    return sum(
        num_bytes(array) for name, array in datasets(file) if name.partition("/")[0] not in SINGLY
    )


def _fields(stored: StoredFile, group: str, names: Sequence[str], problem: Problem) -> Stored:
    """Fields of one group as the channels of one array."""
    file, grid = stored.handle(), problem.grid
    paths = tuple(f"{group}/{name}" for name in names)
    shapes = {entry(file, path).shape for path in paths}
    if len(shapes) > 1:
        raise DataError(f"fields of {group} differ in shape: {sorted(shapes)}")
    shape = shapes.pop()
    if grid is not None and shape[-len(grid) :] != grid:
        raise DataError(f"{group} of shape {shape} on grid {grid}")
    flat = shape if grid is None else (*shape[: -len(grid)], prod(grid))
    return Stored(stored, paths, (*flat, len(names)), grid)


def _weight_names(file: h5py.File) -> list[str]:
    return [
        f"{number}/{output}"
        for number in members(file, "weights")
        for output in members(file, f"weights/{number}")
    ]


def _single(
    stored: StoredFile, name: str, problem: Problem, *, dtype: np.dtype[Any], behind: int = 0
) -> Stored:
    """One array of values at points; `behind` counts the axes behind those of the points."""
    shape, grid = entry(stored.handle(), name).shape, problem.grid
    if grid is not None:
        end = len(shape) - behind
        if shape[end - len(grid) : end] != grid:
            raise DataError(f"{name} of shape {shape} on grid {grid}")
        shape = (*shape[: end - len(grid)], prod(grid), *shape[end:])
    return Stored(stored, (name,), shape, grid, dtype=dtype, stacked=False, behind=behind)


def _numbers(file: h5py.File, group: str, names: Sequence[str]) -> Floats:
    columns = [np.asarray(entry(file, f"{group}/{name}")[()], np.float32) for name in names]
    return np.stack(columns, axis=-1) if columns else np.empty((0, 0), np.float32)
