"""Arrays by name, of NumPy, HDF5 or MATLAB: `points`, or x, y (and z), and fields beside them.

Points are (N, d), or (*grid, d) where structured; x, y, z are (N,) or (*grid). A field is of the
same shape, with an axis for its components after it, and before it an axis for `times`, if the
file has them. One number is of the whole case.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path

import h5py
import numpy as np

from llt.data.arrays import write_arrays
from llt.data.contents import REAL, attribute, datasets, num_bytes
from llt.data.formats.mesh import Array, Mesh, check_lengths, check_points, time_index
from llt.data.hdf5 import PatientOutput, open_file
from llt.data.mat_file import mat_names, read_mat
from llt.data.npy import read_npz
from llt.errors import DataError
from llt.runtime.files import replacing
from llt.runtime.limits import check_size
from llt.runtime.reading import check_file, naming, reading

TIMES = "times"
AXES = ("x", "y", "z")
Arrays = dict[str, Array]
Units = dict[str, str]


def read_times(path: Path) -> tuple[float, ...]:
    with reading(path):
        arrays, _ = load(path)
        times = times_in(arrays)
        return times if len(times) > 1 else ()


def read(path: Path, time: float | None = None) -> Mesh:
    with reading(path):
        return mesh_of(*load(path), time)


def mesh_of(arrays: Arrays, units: Units, time: float | None) -> Mesh:
    """What the arrays of one case hold, at one of its times."""
    times = times_in(arrays)
    index = time_index(times, time) if times or time is not None else None
    arrays.pop(TIMES, None)
    points, shape = take_points(arrays)
    fields: dict[str, Array] = {}
    numbers: dict[str, float] = {}
    left_out: dict[str, str] = {}
    for name, value in arrays.items():
        if value.size == 1:
            numbers[name] = float(value.reshape(()))
        elif (found := _at_points(value, shape, len(times), index)) is not None:
            fields[name] = found
        else:
            left_out[name] = f"shape {value.shape} does not fit points of {shape}"
    return Mesh(
        points=points,
        point_fields=fields,
        grid=shape if len(shape) > 1 else None,
        case_fields=numbers,
        units={name: unit for name, unit in units.items() if name in arrays},
        left_out=left_out,
    )


def write_like(source: Path, out: Path, fields: Mapping[str, Array]) -> None:
    """The arrays of a file and new ones, which have the shape of its points."""
    arrays, _ = load(source)
    _save(source, out, arrays, _shaped(source, arrays, fields))


def write_series(
    source: Path, out: Path, steps: Iterable[tuple[float, Mapping[str, Array]]]
) -> None:
    """The arrays of a file, and new ones with an axis for `times` before that of the points."""
    arrays, _ = load(source)
    times, states = [], []
    for time, fields in steps:
        times.append(time)
        states.append(_shaped(source, arrays, fields))
    stacked = {name: np.stack([state[name] for state in states]) for name in states[0]}
    _save(source, out, arrays, {TIMES: np.array(times), **stacked})


def _shaped(source: Path, arrays: Mapping[str, Array], fields: Mapping[str, Array]) -> Arrays:
    with naming(source):
        points, shape = take_points(dict(arrays))
        check_lengths(fields, len(points), "points")
    return {name: value.reshape(*shape, *value.shape[1:]) for name, value in fields.items()}


def _save(source: Path, out: Path, arrays: Arrays, placed: Arrays) -> None:
    if out.suffix == ".mat":
        from scipy.io import savemat

        with replacing(out) as beside, beside.open("wb") as file:
            savemat(file, arrays | placed, do_compression=True, oned_as="column")
    elif out.suffix == ".npz":
        write_arrays(out, arrays | placed)
    else:
        _copy_hdf5(source, out, placed)


def _copy_hdf5(source: Path, out: Path, placed: Arrays) -> None:
    """With all groups and attributes."""
    with replacing(out) as beside:
        shutil.copyfile(source, beside)
        with beside.open("r+b", buffering=0) as raw:
            output = PatientOutput(raw)
            with h5py.File(output, "r+", driver="fileobj") as file:
                for name, value in placed.items():
                    if name in file:
                        del file[name]
                    file.create_dataset(name, data=value)
            output.check()


def load(path: Path) -> tuple[Arrays, Units]:
    """All arrays of numbers by name, with units where the file tells."""
    check_file(path)
    with reading(path):
        if path.suffix == ".npz":
            return read_npz(path), {}
        if path.suffix == ".mat":
            names = mat_names(path)
            return dict(zip(names, map(_squeeze, read_mat(path, names)), strict=True)), {}
        return _load_hdf5(path)


def _load_hdf5(path: Path) -> tuple[Arrays, Units]:
    """By last names, or by whole ones where two are the same."""
    with open_file(path) as file:
        if "outputs" in file:
            raise DataError("a dataset of many cases, not the results of one; give it to llt train")
        real = [(name, array) for name, array in datasets(file) if array.dtype.kind in REAL]
        check_size(path, sum(num_bytes(array) for _, array in real), "what it holds")
        last = [name.rpartition("/")[2] for name, _ in real]
        arrays, units = {}, {}
        for (whole, array), short in zip(real, last, strict=True):
            name = short if last.count(short) == 1 else whole
            arrays[name] = array[()]
            if unit := attribute(array, "unit") or attribute(array, "units"):
                units[name] = unit
        return arrays, units


def _squeeze(array: Array) -> Array:
    """MATLAB has no vectors: they are matrices of one column or row."""
    return array.reshape(-1) if array.ndim == 2 and 1 in array.shape else array


def times_in(arrays: Mapping[str, Array]) -> tuple[float, ...]:
    times = arrays.get(TIMES)
    if times is None:
        return ()
    if times.ndim != 1 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise DataError(f"{TIMES} of shape {times.shape}: expected numbers that grow, (T,)")
    return tuple(float(t) for t in times)


def take_points(arrays: Arrays) -> tuple[Array, tuple[int, ...]]:
    """Points (N, d) and the shape that fields have at them."""
    if "points" in arrays:
        found = arrays.pop("points")
    else:
        axes = [axis for axis in AXES if axis in arrays]
        if len(axes) < 2 or len({arrays[axis].shape for axis in axes}) > 1:
            there = ", ".join(f"{name} {value.shape}" for name, value in arrays.items()) or "none"
            raise DataError(f"needs points, or x and y (and z) of one shape; arrays there: {there}")
        found = np.stack([arrays.pop(axis) for axis in axes], axis=-1)
    if found.ndim < 2:
        raise DataError(f"points of shape {found.shape}, expected (N, d) or (*grid, d)")
    return check_points(found.reshape(-1, found.shape[-1])), found.shape[:-1]


def _at_points(
    value: Array, shape: tuple[int, ...], num_times: int, index: int | None
) -> Array | None:
    """(N,) or (N, C) at one time; None where a shape does not fit."""
    if index is not None and value.shape[:1] == (num_times,):
        now = _at_points(value[index], shape, 0, None)
        if now is not None:
            return now
    num = prod(shape)
    for leading in (shape, (num,)):
        if value.shape == leading:
            return value.reshape(num)
        if value.shape[:-1] == leading:
            return value.reshape(num, value.shape[-1])
    return None
