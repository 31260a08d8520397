"""HDF5 files that users write with h5py alone."""

import h5py
import numpy as np
import pytest

from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.errors import DataError
from tests.data.test_from_arrays import CASES


def write(path, arrays):
    """A file as a user would write it, with nothing in it but arrays."""
    with h5py.File(path, "w") as f:
        ragged = isinstance(arrays["points"], list)
        if ragged:
            f["offsets"] = np.cumsum([0, *map(len, arrays["points"])])
        f["points"] = np.concatenate(arrays["points"]) if ragged else arrays["points"]
        for group in ("inputs", "outputs", "parameters"):
            for name, value in arrays.get(group, {}).items():
                value = np.concatenate(value, axis=-1) if isinstance(value, list) else value
                f[f"{group}/{name}"] = value
        if "times" in arrays:
            f["times"] = arrays["times"]


@pytest.mark.parametrize("kind", CASES)
def test_a_file_of_arrays_alone_is_the_dataset_of_these_arrays(kind, tmp_path):
    path = tmp_path / "plate.h5"
    write(path, CASES[kind])
    before = path.read_bytes()
    data = dataset_file.read(path)
    expected = Dataset.from_arrays("plate", **CASES[kind])
    assert data.problem == expected.problem
    assert data.hash == data.load().hash == expected.hash
    data.file.close()
    assert path.read_bytes() == before


def test_units_masks_splits_and_name_may_be_there(tmp_path):
    path = tmp_path / "plate.h5"
    write(path, CASES["shared grid"])
    with h5py.File(path, "r+") as f:
        f.attrs["name"] = "bent plate"
        f["outputs/u"].attrs["unit"] = "mm"
        f["masks/u"] = np.arange(12).reshape(4, 3) > 5
        f["splits/train"], f["splits/val"], f["splits/test"] = [3, 4], [5], [0, 1]
    data = dataset_file.read(path)
    assert data.problem.name == "bent plate"
    assert data.problem.outputs[0].unit == "mm" and data.problem.outputs[0].mask == "u"
    assert data.sample(0).masks["u"].sum() == 6
    assert data.splits.train.tolist() == [3, 4]


def test_a_dataset_file_may_lack_its_hash_and_checksums(darcy_file, darcy_data):
    with h5py.File(darcy_file, "r+") as f:
        del f.attrs["hash"], f["checksums"]
    data = dataset_file.read(darcy_file)
    assert data.hash == darcy_data.hash and data.problem == darcy_data.problem


BAD = {
    "no outputs": (lambda f: f["outputs"].clear(), "no fields in outputs"),
    "shapes": (lambda f: f.move("inputs/load", "outputs/a"), "expected (samples, 4, 3)"),
    "mask": (lambda f: f.create_dataset("masks/load", data=[1]), "masks: unknown output 'load'"),
    "split": (lambda f: f.create_dataset("splits/train", data=[1]), "splits: no 'val'"),
}


@pytest.mark.parametrize("fault", BAD)
def test_what_is_wrong_with_an_own_file_is_one_line(fault, tmp_path):
    path, (change, message) = tmp_path / "plate.h5", BAD[fault]
    arrays = CASES["shared grid"]
    if fault == "shapes":
        arrays = arrays | {"inputs": {"load": np.ones((10, 3, 4))}}
    write(path, arrays)
    with h5py.File(path, "r+") as f:
        change(f)
    with pytest.raises(DataError, match=r"plate.h5: ") as caught:
        dataset_file.read(path)
    assert message in str(caught.value) and "\n" not in str(caught.value)
