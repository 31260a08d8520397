"""The dataset file: one HDF5 file, readable with h5py alone (docs/data-format.md).

attributes       format, version, problem (JSON), provenance (JSON), hash
points           (*grid, d) shared, (S, *grid, d), (S, N, d), or ragged (P, d)
inputs/NAME      (S, *grid), (S, N) or ragged (P,)
outputs/NAME     the same; timed problems (S, T, *grid)
offsets, times   where they apply
splits/NAME      sample indices of train, val, test
samples/NAME     per-sample records of the solver
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from llt.data.dataset import Dataset, Floats
from llt.data.hdf5 import new_file
from llt.data.splits import NAMES, Splits
from llt.errors import DataError, unknown
from llt.problem import Problem

FORMAT, VERSION = "llt-dataset", 1


def write(path: Path, data: Dataset) -> None:
    with new_file(path) as file:
        file.attrs.update(
            format=FORMAT,
            version=VERSION,
            problem=json.dumps(data.problem.to_dict()),
            provenance=json.dumps(data.provenance),
            hash=data.hash,
        )
        grid = data.problem.grid
        points = data.points
        if grid is not None:
            points = points.reshape(*points.shape[:-2], *grid, points.shape[-1])
        _store(file, "points", points)
        for group, names, array in (
            ("inputs", data.problem.input_names, data.inputs),
            ("outputs", data.problem.output_names, data.outputs),
        ):
            file.create_group(group)
            for channel, name in enumerate(names):
                values = array[..., channel]
                if grid is not None:
                    values = values.reshape(*values.shape[:-1], *grid)
                _store(file, f"{group}/{name}", values)
        if data.offsets is not None:
            file["offsets"] = data.offsets
        if data.times is not None:
            file["times"] = data.times
        for name in NAMES:
            file[f"splits/{name}"] = data.splits[name]
        for name, record in data.samples.items():
            file[f"samples/{name}"] = record


def read(path: Path) -> Dataset:
    """Read and check a dataset file."""
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    try:
        with h5py.File(path) as file:
            return _read(file, path)
    except OSError as error:
        reason = "truncated" if "truncated" in str(error) else "not an HDF5 file or damaged"
        raise DataError(f"{path}: {reason}; expected a file written by llt generate") from error
    except DataError as error:
        message = str(error)
        if message.startswith(str(path)):
            raise
        raise DataError(f"{path}: {message}") from error
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise DataError(f"{path}: damaged: {error}") from error


def _read(file: h5py.File, path: Path) -> Dataset:
    if file.attrs.get("format") != FORMAT:
        raise DataError(f"{path}: not an llt dataset; attribute format is missing")
    if file.attrs["version"] != VERSION:
        raise DataError(f"{path}: file version {file.attrs['version']}, this llt reads {VERSION}")
    problem = Problem.from_dict(json.loads(file.attrs["problem"]))
    points = np.asarray(_dataset(file, "points", path), dtype=np.float32)
    if problem.grid is not None:
        points = points.reshape(*points.shape[: -1 - len(problem.grid)], -1, points.shape[-1])
    outputs = _channels(file, "outputs", problem.output_names, problem, path)
    if problem.inputs:
        inputs = _channels(file, "inputs", problem.input_names, problem, path)
    else:
        rows = (len(outputs), outputs.shape[-2]) if outputs.ndim > 2 else (len(outputs),)
        inputs = np.empty((*rows, 0), dtype=np.float32)
    data = Dataset(
        problem=problem,
        points=points,
        inputs=inputs,
        outputs=outputs,
        offsets=file["offsets"][()] if "offsets" in file else None,
        times=file["times"][()] if "times" in file else None,
        splits=Splits.of(*(_dataset(file, f"splits/{name}", path) for name in NAMES)),
        provenance=json.loads(file.attrs["provenance"]),
        samples={name: value[()] for name, value in file["samples"].items()}
        if "samples" in file
        else {},
    )
    if data.hash != file.attrs["hash"]:
        raise DataError(f"{path}: contents have hash {data.hash}, written as {file.attrs['hash']}")
    return data


def _store(file: h5py.File, name: str, array: Floats) -> None:
    # one chunk per sample; gzip 1 with shuffle halves smooth fields at little cost
    chunks = (1, *array.shape[1:]) if array.ndim > 2 else None
    options: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
    file.create_dataset(name, data=array, chunks=chunks, **(options if array.size else {}))


def _dataset(file: h5py.File, name: str, path: Path) -> Any:
    if name not in file:
        group = file[name.rpartition("/")[0] or "/"]
        raise DataError(f"{path}: {unknown('field', name.rpartition('/')[2], group)}")
    return file[name][()]


def _channels(
    file: h5py.File, group: str, names: Sequence[str], problem: Problem, path: Path
) -> Floats:
    arrays = [np.asarray(_dataset(file, f"{group}/{name}", path), np.float32) for name in names]
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        raise DataError(f"{path}: fields of {group} differ in shape: {sorted(shapes)}")
    stacked = np.stack(arrays, axis=-1)
    if problem.grid is not None:
        if stacked.shape[-1 - len(problem.grid) : -1] != problem.grid:
            raise DataError(f"{path}: {group} of shape {arrays[0].shape} on grid {problem.grid}")
        stacked = stacked.reshape(*stacked.shape[: -1 - len(problem.grid)], -1, len(names))
    return stacked
