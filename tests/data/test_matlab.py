"""MATLAB 5 files as scipy writes them, and what is wrong with others."""

import numpy as np
import pytest
from scipy.io import loadmat, savemat

from llt.data.matlab import read_matlab5
from llt.errors import DataError

RNG = np.random.default_rng(0)
ARRAYS = {
    "doubles": RNG.random((3, 4, 5)),
    "singles": RNG.random((2, 2)).astype("f4"),
    "bytes": RNG.integers(0, 255, (2, 3), "u1"),
    "longs": RNG.integers(-9, 9, (2, 3), "i8"),
    "one": np.array([[2.5]]),
    "none": np.empty((0, 3)),
}


@pytest.mark.parametrize("compressed", [True, False])
def test_arrays_are_those_that_scipy_reads(tmp_path, compressed):
    path, names = tmp_path / "fields.mat", tuple(ARRAYS)
    others = {"text": "words", "cell": np.array([1, "a"], object), "parts": {"x": 1.0}}
    savemat(path, others | ARRAYS, do_compression=compressed)
    for name, found in zip(names, read_matlab5(path, names), strict=True):
        right = loadmat(path)[name]
        assert found.dtype == right.dtype
        assert np.array_equal(found, right)


@pytest.mark.parametrize("value", [np.array([[1j]]), "words", np.array([1, "a"], object)])
def test_what_is_not_numbers_is_refused(tmp_path, value):
    savemat(tmp_path / "fields.mat", {"a": value})
    with pytest.raises(DataError, match="a is not an array of real numbers"):
        read_matlab5(tmp_path / "fields.mat", ("a",))


def test_damage_within_what_is_compressed_is_found(tmp_path):
    path = tmp_path / "fields.mat"
    savemat(path, {"a": np.zeros((50, 50))}, do_compression=True)
    content = bytearray(path.read_bytes())
    content[-2] ^= 1  # of the checksum
    path.write_bytes(content)
    with pytest.raises(Exception, match="incorrect data check"):
        read_matlab5(path, ("a",))


def test_a_variable_that_lacks_its_end_is_found(tmp_path):
    path = tmp_path / "fields.mat"
    savemat(path, {"a": np.zeros((50, 50))}, do_compression=True)
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(DataError, match="more than a variable, or less"):
        read_matlab5(path, ("a",))
