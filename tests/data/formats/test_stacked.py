"""All cases in one file of arrays, along the first axis."""

import h5py
import numpy as np
import pytest
from scipy.io import savemat

import llt
from llt.cli import main
from llt.data.folder.cases import find_cases
from llt.data.formats import stacked
from llt.errors import DataError

S, N = 5, 12
RNG = np.random.default_rng(0)
SHARED, OWN = RNG.random((N, 2)), RNG.random((S, N, 2))
T, U, MU, SPEED = RNG.random((S, N)), RNG.random((S, N, 2)), RNG.random((S, 3)), RNG.random(S)


@pytest.mark.parametrize("points", [SHARED, OWN], ids=["shared", "own"])
def test_a_case_is_a_row(points, tmp_path):
    np.savez(tmp_path / "all.npz", points=points, T=T, U=U, mu=MU, speed=SPEED, cells=np.eye(3))
    assert stacked.num_cases(tmp_path / "all.npz") == S
    for row in range(S):
        mesh = stacked.read(tmp_path / "all.npz", row)
        np.testing.assert_array_equal(mesh.points, points if points is SHARED else points[row])
        assert mesh.point_fields.keys() == {"T", "U"} and mesh.left_out.keys() == {"cells"}
        np.testing.assert_array_equal(mesh.point_fields["T"], T[row])
        np.testing.assert_array_equal(mesh.point_fields["U"], U[row])
        numbers = {f"mu_{i + 1}": MU[row, i] for i in range(3)} | {"speed": SPEED[row]}
        assert mesh.case_fields == numbers


def test_grids_and_times(tmp_path):
    x, y = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 2, 3))
    h = RNG.random((S, 2, 3, 4))
    moments = np.array([0.0, 1.0])
    np.savez(tmp_path / "timed.npz", x=x, y=y, h=h, times=moments)
    assert stacked.num_cases(tmp_path / "timed.npz") == S
    np.savez(tmp_path / "all.npz", x=x, y=y, h=h, k=h[:, 0], times=moments)
    assert stacked.read_times(tmp_path / "all.npz") == (0.0, 1.0)
    mesh = stacked.read(tmp_path / "all.npz", 3, 1.0)
    assert mesh.grid == (3, 4) and stacked.num_cases(tmp_path / "all.npz") == S
    np.testing.assert_array_equal(mesh.point_fields["h"], h[3, 1].ravel())
    np.testing.assert_array_equal(mesh.point_fields["k"], h[3, 0].ravel())


def test_files_of_hdf5_and_matlab(tmp_path):
    arrays = {"points": SHARED, "T": T, "mu": MU}
    savemat(tmp_path / "all.mat", arrays)
    with h5py.File(tmp_path / "all.h5", "w") as file:
        for name, value in arrays.items():
            file[name] = value
    for path in (tmp_path / "all.mat", tmp_path / "all.h5"):
        assert [case.name for case in find_cases(path).cases] == [f"all_{i}" for i in range(S)]
        np.testing.assert_array_equal(stacked.read(path, 2).point_fields["T"], T[2])


def test_a_file_that_has_changed_is_read_again(tmp_path):
    path = tmp_path / "all.npz"
    np.savez(path, points=SHARED, T=T)
    stacked.read(path, 0)
    np.savez(path, points=SHARED, T=T[:4] + 1, more=SPEED)
    assert stacked.num_cases(path) == 4
    np.testing.assert_array_equal(stacked.read(path, 0).point_fields["T"], T[0] + 1)


@pytest.mark.parametrize(
    "arrays",
    [{"T": T[0]}, {"T": T, "p": T[:3]}, {"T": RNG.random((S, N + 1))}],
    ids=["one case", "two counts", "other points"],
)
def test_what_is_no_stack_is_said(arrays, tmp_path):
    np.savez(tmp_path / "all.npz", points=SHARED, **arrays)
    with pytest.raises(DataError, match=r"all.npz: no cases along the first axis; .*T \("):
        find_cases(tmp_path / "all.npz")


def test_from_one_file_to_a_dataset(tmp_path, capsys):
    path, out = tmp_path / "all.npz", tmp_path / "mine.h5"
    np.savez(path, points=OWN, T=T, mu=MU)
    assert main(["inspect", str(path)]) == 0
    assert "5: all_0, all_1" in capsys.readouterr().out
    data = llt.prepare(path, out, outputs=["T"], workers=1)
    assert data.problem.describe() == "all: mu_1, mu_2, mu_3 -> T on a 2-D point set"
    np.testing.assert_allclose(data.parameters, MU, rtol=1e-6)
    for row in range(S):
        np.testing.assert_allclose(data.sample(row).outputs[:, 0], T[row], rtol=1e-6)
    np.savez(path, points=OWN, T=np.where(np.arange(N) == 3, np.nan, T), mu=MU)
    with pytest.raises(DataError, match=r"all.npz, case 0: T holds NaN at 1 of 12 points"):
        llt.prepare(path, tmp_path / "bad.h5", outputs=["T"], workers=1)
