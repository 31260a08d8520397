"""Arrays by name: NumPy, HDF5 and MATLAB files of one case."""

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from llt.data.formats import read, times, write_like
from llt.errors import ConfigError, DataError

SUFFIXES = (".npz", ".h5", ".mat", "-7.mat")


def write(folder, suffix, arrays):
    """A file as its users make it."""
    path = folder / f"case{suffix}"
    if suffix == ".npz":
        np.savez(path, **arrays)
    elif suffix == ".mat":
        savemat(path, arrays, oned_as="column")
    else:
        with h5py.File(path, "w") as file:
            for name, value in arrays.items():
                file[name] = value if suffix == ".h5" else np.transpose(value)
    return path


def cloud(rng):
    x = rng.random((7, 3))
    return {"points": x, "p": rng.random(7), "U": rng.random((7, 3)), "mach": np.array(0.3)}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_points_fields_and_numbers(tmp_path, suffix):
    arrays = cloud(np.random.default_rng(0))
    mesh = read(write(tmp_path, suffix, arrays | {"cells": np.zeros((4, 3), int)}))
    np.testing.assert_array_equal(mesh.points, arrays["points"])
    assert mesh.point_fields.keys() == {"p", "U"} and mesh.grid is None
    for name, value in mesh.point_fields.items():
        np.testing.assert_array_equal(value, arrays[name])
    assert mesh.case_fields == {"mach": 0.3}
    assert mesh.left_out == {"cells": "shape (4, 3) does not fit points of (7,)"}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_grid_keeps_its_order(tmp_path, suffix):
    x, y = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 2, 3))
    u = np.stack([x, 2 * y], axis=-1)
    mesh = read(write(tmp_path, suffix, {"x": x, "y": y, "p": x + y, "u": u}))
    assert mesh.grid == (3, 4)
    np.testing.assert_array_equal(mesh.points[:5], [[*xy] for xy in zip(x.flat, y.flat)][:5])  # noqa: B905
    np.testing.assert_array_equal(mesh.point_fields["p"], mesh.points.sum(axis=1))
    np.testing.assert_array_equal(mesh.point_fields["u"], mesh.points * [1, 2])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_times(tmp_path, suffix):
    rng = np.random.default_rng(0)
    p, k = rng.random((4, 7)), rng.random(7)
    arrays = {"points": rng.random((7, 2)), "times": np.arange(4) / 2, "p": p, "k": k}
    path = write(tmp_path, suffix, arrays)
    assert times(path) == (0.0, 0.5, 1.0, 1.5)
    for time, index in ((None, 3), (0.5, 1)):
        mesh = read(path, time)
        np.testing.assert_array_equal(mesh.point_fields["p"], p[index])
        np.testing.assert_array_equal(mesh.point_fields["k"], k)
    with pytest.raises(DataError, match=r"no time 0.7; times there: 4 from 0 to 1.5"):
        read(path, 0.7)


@pytest.mark.parametrize("suffix", SUFFIXES[:3])
def test_what_is_written_has_all_arrays_and_the_new_ones(tmp_path, suffix):
    rng = np.random.default_rng(0)
    path, out = write(tmp_path, suffix, cloud(rng)), tmp_path / f"out{suffix}"
    new = {"p_pred": rng.random(7), "U_pred": rng.random((7, 3)).astype(np.float32)}
    write_like(path, out, point_fields=new)
    before, after = read(path), read(out)
    assert after.case_fields == before.case_fields
    assert after.point_fields.keys() == {"p", "U", "p_pred", "U_pred"}
    for name, value in {**before.point_fields, **new}.items():
        np.testing.assert_array_equal(after.point_fields[name], value)
    np.testing.assert_array_equal(after.points, before.points)


def test_an_array_of_the_same_name_is_replaced(tmp_path):
    for suffix in SUFFIXES[:3]:
        path = write(tmp_path, suffix, cloud(np.random.default_rng(0)))
        write_like(path, tmp_path / f"out{suffix}", point_fields={"p": np.zeros(7)})
        assert not read(tmp_path / f"out{suffix}").point_fields["p"].any()


def test_units_and_attributes_of_hdf5_stay(tmp_path):
    path = write(tmp_path, ".h5", {"points": np.eye(3), "solver/p": np.ones(3)})
    with h5py.File(path, "r+") as file:
        file["solver/p"].attrs["units"] = "Pa"
        file.attrs["who"] = "me"
    write_like(path, tmp_path / "out.h5", point_fields={"p_pred": np.zeros(3)})
    assert read(tmp_path / "out.h5").units == {"p": "Pa"}
    with h5py.File(tmp_path / "out.h5") as file:
        assert file.attrs["who"] == "me" and "solver/p" in file


BAD = {
    "no points": ({"p": np.ones(3)}, r"needs points, or x and y \(and z\) of one shape"),
    "x and y differ": ({"x": np.ones(3), "y": np.ones(4)}, "of one shape"),
    "NaN": ({"points": np.full((3, 2), np.nan)}, "points have NaN or infinity at 3, first 0"),
    "one axis": ({"points": np.ones((3, 1))}, r"points of shape \(3, 1\), expected \(N, 2\)"),
    "times": ({"points": np.eye(3), "times": np.array([1.0, 0.0])}, "expected numbers that grow"),
}


@pytest.mark.parametrize("fault", BAD)
def test_one_line_says_what_is_wrong(tmp_path, fault):
    arrays, message = BAD[fault]
    path = write(tmp_path, ".npz", arrays)
    with pytest.raises(DataError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_dataset_of_many_cases_is_not_one_case(darcy_file):
    with pytest.raises(DataError, match="a dataset of many cases"):
        read(darcy_file)


def test_the_suffix_of_what_is_written_is_the_files_own(tmp_path):
    path = write(tmp_path, ".npz", cloud(np.random.default_rng(0)))
    with pytest.raises(ConfigError, match=r"case.npz is a .npz file; name it out.npz"):
        write_like(path, tmp_path / "out.vtu")
