"""Files that lie, and files that would show others: refused at the door, in one line."""

import os
from dataclasses import replace

import h5py
import numpy as np
import pytest

from llt.data import dataset_file
from llt.data.arrays import read_arrays
from llt.data.splits import Splits
from llt.errors import DataError

OFFSETS = {
    "decrease": ([0, 60, 40], r"sample 1 has rows from 60 to 40"),
    "empty": ([0, 40, 40], r"sample 1 has rows from 40 to 40"),
    "late": ([5, 20, 40], r"sample 0 has rows from 5 to 20"),
    "negative": ([-5, 20, 40], r"sample 0 has rows from -5 to 20"),
    "floats": ([0.0, 20.0, 40.0], r"offsets \(4,\) of type float64, expected integers"),
}


@pytest.mark.parametrize("case", OFFSETS)
def test_offsets_rise_from_zero(tmp_path, ragged_data, case):
    offsets, message = OFFSETS[case]
    path = tmp_path / "set.h5"
    dataset_file.write(path, ragged_data)
    with h5py.File(path, "r+") as file:
        del file["offsets"]
        file["offsets"] = np.array([*offsets, len(file["points"])])
    with pytest.raises(DataError, match=message):
        dataset_file.read(path)


FIELDS = {
    "complex": (np.complex64(1 + 2j), "complex64, expected real numbers"),
    "strings": (np.bytes_(b"1.5"), "S3, expected real numbers"),
}


@pytest.mark.parametrize("case", FIELDS)
def test_fields_are_real_numbers(tmp_path, darcy_data, case):
    value, message = FIELDS[case]
    path = tmp_path / "set.h5"
    dataset_file.write(path, darcy_data)
    with h5py.File(path, "r+") as file:
        shape = file["outputs/pressure"].shape
        del file["outputs/pressure"]
        file["outputs/pressure"] = np.full(shape, value)
    with pytest.raises(DataError, match=f"outputs/pressure: values of type .*{message}"):
        dataset_file.read(path)


def test_indices_of_a_split_are_integers(darcy_data):
    with pytest.raises(DataError, match="split val: values of type float64"):
        Splits.of([0], [1.5], [2])
    assert Splits.of([], [], [1]).train.size == 0


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_times_are_finite(value):
    from tests.data.kinds import timed

    data = timed()
    times = data.times.copy()
    times[-1] = value
    with pytest.raises(DataError, match="times hold NaN or infinity"):
        replace(data, times=times)


def external_link(file, secret):
    file["inputs/a"] = h5py.ExternalLink(secret, "/x")


def external_storage(file, secret):
    file.create_dataset("inputs/a", (4,), "f4", external=[(str(secret), 0, 16)])


def virtual(file, secret):
    layout = h5py.VirtualLayout((4,), "f4")
    layout[:] = h5py.VirtualSource(secret, "x", (4,))
    file.create_virtual_dataset("inputs/a", layout)


def read_matlab7(path):
    from llt.data.published.darcy import _read_mat

    return _read_mat(path, ("coeff", "sol"), 2)


@pytest.mark.parametrize("way", [external_link, external_storage, virtual])
@pytest.mark.parametrize("read", [read_arrays, dataset_file.read, read_matlab7])
def test_a_file_shows_nothing_of_others(tmp_path, way, read):
    secret, path = tmp_path / "secret.h5", tmp_path / "given.h5"
    with h5py.File(secret, "w") as file:
        file["x"] = np.arange(4, dtype="f4")
    with h5py.File(path, "w") as file:
        file["points"], file["outputs/u"] = np.ones((4, 2)), np.ones((3, 4))
        way(file, secret)
    with pytest.raises(DataError, match=r"given.h5: inputs/a (is a link to|has its numbers in)"):
        read(path)


def test_groups_that_contain_each_other_end(tmp_path):
    path = tmp_path / "loop.h5"
    with h5py.File(path, "w") as file:
        file["a/x"] = np.ones(3)
        file["a/again"] = file["a"]
        file["soft"] = h5py.SoftLink("/a/x")
    assert read_arrays(path)["x"].tolist() == [1, 1, 1]


def read_npy(path):
    from llt.data.published.source_files import load_array

    return load_array(path, (None,))


@pytest.mark.parametrize("read", [read_arrays, dataset_file.read, read_matlab7, read_npy])
def test_what_is_no_file_is_not_waited_for(tmp_path, read):
    os.mkfifo(tmp_path / "pipe.h5")
    with pytest.raises(DataError, match=r"pipe.h5: not a regular file"):
        read(tmp_path / "pipe.h5")


def test_a_damaged_problem_is_found(darcy_file):
    with h5py.File(darcy_file, "r+") as file:
        file.attrs["problem"] = file.attrs["problem"].replace("left-right", "left-wrong", 1)
    with pytest.raises(DataError, match=r"darcy.h5: damaged: problem has hash [0-9a-f]{16}"):
        dataset_file.read(darcy_file)
    with h5py.File(darcy_file, "r+") as file:
        del file.attrs["problem_hash"]  # as in earlier files
    assert dataset_file.read(darcy_file).problem.name == "darcy"


def test_a_dataset_that_lost_its_format_is_no_file_of_ones_own(darcy_file):
    with h5py.File(darcy_file, "r+") as file:
        del file.attrs["format"]
    with pytest.raises(DataError, match=r"darcy.h5: not an llt dataset"):
        dataset_file.read(darcy_file)
