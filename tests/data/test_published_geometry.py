"""Elasticity, Airfoil and Pipe: the published layout, its splits and its traps."""

from dataclasses import replace

import numpy as np
import pytest

from llt.data.published import geometry, read_published
from llt.errors import ConfigError, DataError

NUM = 1610
GRIDS = {"airfoil": (5, 3), "pipe": (4, 4)}


@pytest.fixture(autouse=True)
def small_grids(monkeypatch):
    """The same layout with fewer points, so that files stay small."""
    for name, grid in GRIDS.items():
        problem = getattr(geometry, name.upper())
        monkeypatch.setattr(geometry, name.upper(), replace(problem, grid=grid))


def write_grid(folder, names, channels, grid):
    rng = np.random.default_rng(0)
    arrays = [
        rng.random((NUM, *grid)),
        rng.random((NUM, *grid)),
        rng.random((NUM, channels, *grid)),
    ]
    for name, array in zip(names, arrays, strict=True):
        np.save(folder / name, array)
    return arrays


@pytest.fixture
def airfoil(tmp_path):
    return tmp_path, write_grid(tmp_path, geometry.AIRFOIL_FILES, 5, GRIDS["airfoil"])


@pytest.fixture
def pipe(tmp_path):
    return tmp_path, write_grid(tmp_path, geometry.PIPE_FILES, 3, GRIDS["pipe"])


@pytest.fixture
def elasticity(tmp_path):
    rng = np.random.default_rng(0)
    xy, sigma = rng.random((972, 2, NUM)).astype(np.float32), rng.random((972, NUM))
    below = tmp_path / "elasticity" / "Meshes"  # as the archive unpacks
    below.mkdir(parents=True)
    for name, array in zip(geometry.ELASTICITY_FILES, (xy, sigma), strict=True):
        np.save(below / name, array)
    return tmp_path, (xy, sigma)


def ends(part):
    return part[0], part[-1], len(part)


def test_elasticity_tests_on_the_last_two_hundred(elasticity):
    folder, (xy, sigma) = elasticity
    data = read_published("elasticity", folder)
    assert ends(data.split("train")) == (0, 999, 1000)
    assert ends(data.split("val")) == (1000, 1199, 200)
    assert ends(data.split("test")) == (NUM - 200, NUM - 1, 200)
    np.testing.assert_array_equal(data.sample(7).points, xy[:, :, 7])
    np.testing.assert_array_equal(data.sample(7).outputs[:, 0], sigma[:, 7].astype(np.float32))


def test_airfoil_learns_the_mach_number(airfoil):
    folder, (x, y, q) = airfoil
    data = read_published("airfoil", folder)
    assert ends(data.split("test")) == (1000, 1199, 200)
    assert ends(data.split("val")) == (1200, 1399, 200)
    np.testing.assert_array_equal(data.sample(3).points[:, 1], y[3].ravel().astype(np.float32))
    np.testing.assert_array_equal(data.sample(3).points[:, 0], x[3].ravel().astype(np.float32))
    np.testing.assert_array_equal(data.sample(3).outputs[:, 0], q[3, 4].ravel().astype(np.float32))


def test_pipe_learns_the_streamwise_velocity_on_the_canonical_test_set(pipe):
    folder, (_, _, q) = pipe
    data = read_published("pipe", folder)
    assert ends(data.split("test")) == (1000, 1199, 200)
    np.testing.assert_array_equal(data.sample(3).outputs[:, 0], q[3, 0].ravel().astype(np.float32))


def test_pipe_has_the_other_test_set_as_an_option(pipe):
    data = read_published("pipe", pipe[0], test="last")
    assert ends(data.split("test")) == (NUM - 200, NUM - 1, 200)
    assert ends(data.split("val")) == (1200, 1399, 200)


def test_files_are_reported(pipe):
    about = read_published("pipe", pipe[0]).provenance["files"]
    assert [f["name"] for f in about] == list(geometry.PIPE_FILES)
    assert about[2]["shape"] == [NUM, 3, 4, 4]
    assert about[2]["dtype"] == "float64"
    assert all(len(f["sha256"]) == 64 for f in about)


def test_wrong_shape_is_named(pipe):
    np.save(pipe[0] / "Pipe_Y.npy", np.ones((NUM, 4, 5)))
    with pytest.raises(DataError, match=r"Pipe_Y.npy: has shape .*5\), expected \(1610, 4, 4\)"):
        read_published("pipe", pipe[0])


def test_missing_partner_is_named(airfoil):
    (airfoil[0] / "NACA_Cylinder_Q.npy").unlink()
    with pytest.raises(
        DataError, match=r"NACA_Cylinder_Q.npy: no such file; the benchmark consists"
    ):
        read_published("airfoil", airfoil[0])


def test_too_few_samples(pipe):
    for name, channels in zip(geometry.PIPE_FILES, ((), (), (3,)), strict=True):
        np.save(pipe[0] / name, np.ones((1300, *channels, 4, 4)))
    with pytest.raises(DataError, match="holds 1300 samples, the splits need 1400"):
        read_published("pipe", pipe[0])


def test_damaged_array(pipe):
    (pipe[0] / "Pipe_X.npy").write_bytes(b"junk")
    with pytest.raises(DataError, match=r"Pipe_X.npy: damaged or cannot be read: "):
        read_published("pipe", pipe[0])


def test_unknown_options(pipe):
    with pytest.raises(ConfigError, match="unknown test set 'lsat'; did you mean last"):
        read_published("pipe", pipe[0], test="lsat")
    with pytest.raises(
        ConfigError, match="unknown setting of the pipe reader 'tests'; did you mean"
    ):
        read_published("pipe", pipe[0], tests="last")
    with pytest.raises(ConfigError, match="the airfoil reader has no settings"):
        read_published("airfoil", pipe[0], test="last")
