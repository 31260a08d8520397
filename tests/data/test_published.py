"""Readers of the published files, on small files of the same layout."""

import hashlib

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from llt.data.published import read_published
from llt.data.published.darcy import FILES as DARCY_FILES
from llt.errors import ConfigError, DataError

N = 21


def fields(num, seed):
    rng = np.random.default_rng(seed)
    return {"coeff": rng.choice([3.0, 12.0], (num, N, N)), "sol": rng.random((num, N, N))}


def write_matlab73(path, arrays):
    with h5py.File(path, "w", userblock_size=512) as f:
        for name, value in arrays.items():
            f[name] = value.T  # MATLAB is column-major
    with path.open("r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file".ljust(128))


@pytest.fixture(params=["matlab5", "matlab73"])
def folder(request, tmp_path):
    writer = {"matlab5": savemat, "matlab73": write_matlab73}[request.param]
    for name, num, seed in zip(DARCY_FILES, (1024, 230), (1, 2), strict=True):
        writer(tmp_path / name, fields(num, seed))
    return tmp_path


def test_darcy_follows_the_literatures_split(folder):
    data = read_published("darcy", folder, resolution=5)
    first, second = fields(1024, 1), fields(230, 2)
    assert [len(data.splits[k]) for k in ("train", "val", "test")] == [1000, 54, 200]
    train, test = data.split("train"), data.split("test")
    thin = np.s_[::5, ::5]
    np.testing.assert_array_equal(
        data.outputs[train[999]].reshape(5, 5), first["sol"][999][thin].astype(np.float32)
    )
    np.testing.assert_array_equal(
        data.inputs[test[0]].reshape(5, 5), second["coeff"][0][thin].astype(np.float32)
    )
    np.testing.assert_array_equal(
        data.outputs[test[-1]].reshape(5, 5), second["sol"][199][thin].astype(np.float32)
    )


def test_kept_points_are_cell_centers(folder):
    points = read_published("darcy", folder, resolution=5).points.reshape(5, 5, 2)
    np.testing.assert_allclose(points[2, 4], [20.5 / N, 10.5 / N], rtol=1e-6)


def test_files_are_reported_with_shape_and_checksum(folder):
    about = read_published("darcy", folder, resolution=5).provenance["files"]
    assert [f["name"] for f in about] == list(DARCY_FILES)
    assert about[0]["shape"] == [1024, N, N]
    checksums = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in DARCY_FILES]
    assert [f["sha256"] for f in about] == checksums


def test_validation_is_filled_up_to_two_hundred(tmp_path):
    """24 of the first file and 176 of the second, after its 200 for testing."""
    second = fields(400, 2)
    savemat(tmp_path / DARCY_FILES[0], fields(1024, 1))
    savemat(tmp_path / DARCY_FILES[1], second)
    data = read_published("darcy", tmp_path, resolution=5)
    val = data.split("val")
    assert len(val) == 200
    assert val[:24].tolist() == list(range(1000, 1024))
    np.testing.assert_array_equal(
        data.outputs[val[24]].reshape(5, 5), second["sol"][200][::5, ::5].astype(np.float32)
    )


def test_the_benchmark_keeps_85_points_per_side(folder):
    with pytest.raises(ConfigError, match="resolution 85 does not divide 21"):
        read_published("darcy", folder)


def test_resolution_must_divide(folder):
    with pytest.raises(ConfigError, match=r"resolution 7 does not divide 21; fits: \[2, 3, 5"):
        read_published("darcy", folder, resolution=7)


def test_missing_partner_file(folder):
    (folder / DARCY_FILES[1]).unlink()
    with pytest.raises(DataError, match=r"smooth2\.mat: no such file; the benchmark consists of"):
        read_published("darcy", folder)


def test_wrong_field_name(tmp_path):
    for name in DARCY_FILES:
        savemat(tmp_path / name, {"coefs": np.ones((2, N, N)), "sol": np.ones((2, N, N))})
    with pytest.raises(DataError, match="unknown field 'coeff'"):
        read_published("darcy", tmp_path)


def test_fields_of_different_shape(tmp_path):
    for name in DARCY_FILES:
        savemat(tmp_path / name, {"coeff": np.ones((2, N, N)), "sol": np.ones((3, N, N))})
    with pytest.raises(DataError, match=r"coeff \(2, 21, 21\) and sol \(3, 21, 21\) must both be"):
        read_published("darcy", tmp_path)


def test_damaged_file(tmp_path):
    for name in DARCY_FILES:
        (tmp_path / name).write_bytes(b"not a matlab file at all" * 20)
    with pytest.raises(DataError, match=r"smooth1.mat: not a MATLAB file of version 5 or 7.3"):
        read_published("darcy", tmp_path)


def test_truncated_file(tmp_path):
    for name in DARCY_FILES:
        write_matlab73(tmp_path / name, fields(2, 0))
    path = tmp_path / DARCY_FILES[1]
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(DataError, match=r"smooth2.mat: damaged or cannot be read: .*truncated"):
        read_published("darcy", tmp_path, resolution=5)


def test_unknown_problem(tmp_path):
    """It is no fault of the folder, which is not named."""
    line = r"^unknown published problem 'darci'; did you mean darcy"
    with pytest.raises(ConfigError, match=line):
        read_published("darci", tmp_path)


@pytest.mark.parametrize("value", ["big", 5.0])
def test_option_of_the_wrong_type(tmp_path, value):
    with pytest.raises(ConfigError, match=r"resolution=.* must be of type int"):
        read_published("darcy", tmp_path, resolution=value)
