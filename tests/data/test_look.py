"""A first look at files that hang or crash the library: a child does it, once for each file."""

import struct

import h5py
import numpy as np
import pytest

from llt.data import dataset_file, look
from llt.data.arrays import read_arrays, write_arrays
from llt.errors import DataError


@pytest.fixture
def spinning(tmp_path):
    """The length of a text is such that the library never gets past it."""
    path = tmp_path / "plate.h5"
    with h5py.File(path, "w") as file:
        file["points"], file["outputs/u"] = np.ones((4, 2)), np.ones((3, 4))
        file.attrs["name"] = "plate"
    content = bytearray(path.read_bytes())
    length = content.index(b"GCOL") + 24
    content[length : length + 8] = struct.pack("<Q", 2**64 - 16)
    path.write_bytes(content)
    return path


def test_a_file_that_spins_in_the_library_is_refused(spinning, monkeypatch):
    monkeypatch.setattr(look, "SECONDS", 1)
    with pytest.raises(DataError, match=r"plate.h5: damaged: the HDF5 library hangs or crashes"):
        dataset_file.read(spinning)


@pytest.fixture
def asked(monkeypatch):
    """Files that a child is asked about."""
    names, ask = [], look._ask
    monkeypatch.setattr(look, "_ask", lambda path: names.append(path.name) or ask(path))
    return names


def test_a_file_is_looked_at_once_and_again_when_it_has_changed(tmp_path, asked):
    path = tmp_path / "given.h5"
    for value in (1.0, 2.0):
        with h5py.File(path, "w") as file:
            file["a"] = np.full(3, value)
        for _ in range(2):
            assert read_arrays(path)["a"].tolist() == [value] * 3
    assert asked == ["given.h5", "given.h5"]


def test_what_this_process_has_written_is_not_looked_at(tmp_path, asked):
    write_arrays(tmp_path / "own.h5", {"a": np.ones(3)})
    read_arrays(tmp_path / "own.h5")
    assert asked == []


def test_a_child_that_cannot_start_stops_nobody(tmp_path, monkeypatch, asked):
    with h5py.File(tmp_path / "given.h5", "w") as file:
        file["a"] = np.ones(3)
    monkeypatch.setattr(look.sys, "executable", str(tmp_path / "nowhere"))
    assert list(read_arrays(tmp_path / "given.h5")) == ["a"]
    assert asked == ["given.h5"]
