"""Rollouts of cases in files: from their first frames on, into files of all frames."""

import numpy as np
import pytest

import llt
from llt.data.folder.choice import Choice
from llt.errors import ConfigError, DataError
from llt.own_mesh.predict import Options, predict_files
from llt.preparation.prepare import prepare_folder
from tests.data.folder.made import write
from tests.own_mesh.made import write_times
from tests.surrogate.test_rollout import ruled

pyvista = pytest.importorskip("pyvista")

TIMES = (0.0, 0.5, 1.0, 1.5)


def stepping(folder, history=1, **choice):
    """A surrogate whose change is minus half the last frame and a tenth of the input."""
    out = folder.with_name("cases.h5")
    return ruled(prepare_folder(folder, out, Choice(time="all", **choice), workers=1), history)


@pytest.fixture
def cases(tmp_path):
    return write_times(tmp_path / "cases", times=TIMES)


def test_a_case_is_rolled_out_over_its_own_frames_and_compared(cases, tmp_path):
    surrogate = stepping(cases, inputs=("g",), outputs=("h",))
    done, _ = predict_files(surrogate, cases / "c1.npz", tmp_path / "out.npz")
    found, own = np.load(tmp_path / "out.npz"), np.load(cases / "c1.npz")
    right = [own["h"][0]]
    for _ in TIMES[1:]:
        right.append(0.5 * right[-1] + 0.1 * own["g"][0])
    # the frame that is given comes back as it was
    np.testing.assert_allclose(found["h_pred"], right, rtol=1e-5)
    np.testing.assert_allclose(found["h_error"], right - own["h"], atol=1e-6)
    np.testing.assert_array_equal(found["times"], TIMES)
    error = np.linalg.norm(right[1:] - own["h"][1:]) / np.linalg.norm(own["h"][1:])
    assert done[0].errors["h"] == pytest.approx(error)  # of what is predicted alone


def test_some_frames_may_be_asked_for(cases, tmp_path):
    surrogate = stepping(cases, outputs=("h",))
    own = np.load(cases / "c1.npz")["h"]
    for name, options in {
        "few": Options(steps=2),
        "one": Options(time=1.0),
        "two": Options(time=[1.5, 0.5]),
    }.items():
        predict_files(surrogate, cases / "c1.npz", tmp_path / f"{name}.npz", options)
    few, one, two = (np.load(tmp_path / f"{name}.npz") for name in ("few", "one", "two"))
    halves = own[0] * 0.5 ** np.arange(5)[:, None]
    np.testing.assert_allclose(few["h_pred"], halves[:3], rtol=1e-5)
    np.testing.assert_allclose(one["h_pred"], halves[2], rtol=1e-5)
    np.testing.assert_allclose(two["h_pred"], halves[[3, 1]], rtol=1e-5)
    # beyond the frames of the case there is nothing to compare with
    done, _ = predict_files(surrogate, cases / "c1.npz", tmp_path / "far.npz", Options(steps=6))
    far = np.load(tmp_path / "far.npz")
    np.testing.assert_allclose(far["times"], 0.5 * np.arange(7))
    assert "h_error" not in far and not done[0].errors


def test_steps_may_be_asked_for_from_python(cases, tmp_path):
    surrogate = stepping(cases, outputs=("h",))
    done = llt.predict_files(surrogate, cases / "c1.npz", tmp_path / "two.npz", steps=2)
    assert len(done) == 1 and np.load(tmp_path / "two.npz")["times"].tolist() == [0, 0.5, 1]


def test_a_case_of_the_first_frame_alone_gets_those_trained_on(cases, tmp_path):
    surrogate = stepping(cases, outputs=("h",))
    x = np.random.default_rng(5).random((12, 2))
    write(tmp_path, "new", points=x, h=x[:, 0])
    predict_files(surrogate, tmp_path / "new.npz", tmp_path / "out.npz")
    found = np.load(tmp_path / "out.npz")
    np.testing.assert_allclose(found["h_pred"], x[:, 0] * 0.5 ** np.arange(4)[:, None], rtol=1e-5)
    np.testing.assert_allclose(found["times"], TIMES)


def test_time_steps_of_vtu_files_become_a_series_for_paraview(tmp_path):
    """In a folder each, as a solver writes them; a new case may have its first state only."""
    for i in range(4):
        folder = tmp_path / "cases" / f"c{i}"
        folder.mkdir(parents=True)
        for step in range(3):
            plane = pyvista.Plane(i_resolution=4 + i, j_resolution=3)
            plane.point_data["p"] = (1 + step) * (2 + plane.points[:, 0])
            plane.cast_to_unstructured_grid().save(folder / f"s_{step}.vtu")
    surrogate = stepping(tmp_path / "cases", outputs=("p",))
    done, bad = predict_files(surrogate, tmp_path / "cases", tmp_path / "out")
    assert not bad and len(done) == 4
    reader = pyvista.PVDReader(tmp_path / "out" / "c2.pvd")
    assert reader.time_values == [0, 1, 2]
    reader.set_active_time_value(2)
    found, own = reader.read()[0], pyvista.read(tmp_path / "cases" / "c2" / "s_2.vtu")
    np.testing.assert_array_equal(found["p"], own["p"])
    np.testing.assert_allclose(found["p_pred"], own["p"] / 12, rtol=1e-5)
    first = tmp_path / "cases" / "c2" / "s_0.vtu"
    predict_files(surrogate, first, tmp_path / "new.pvd")
    reader = pyvista.PVDReader(tmp_path / "new.pvd")
    assert reader.time_values == [0, 1, 2]
    reader.set_active_time_value(1)
    np.testing.assert_allclose(reader.read()[0]["p_pred"], pyvista.read(first)["p"] / 2, rtol=1e-5)


def test_what_cannot_begin_is_refused(cases, tmp_path):
    surrogate, out = stepping(cases, history=2, outputs=("h",)), tmp_path / "out.npz"

    def refused(message, options=None, **changes):
        arrays = dict(np.load(cases / "c1.npz")) | changes
        new = write(tmp_path, "new", **{k: v for k, v in arrays.items() if v is not None})
        with pytest.raises((ConfigError, DataError), match=message):
            predict_files(surrogate, new, out, options)
        assert not out.exists()

    h = np.load(cases / "c1.npz")["h"]
    refused(r"new.npz: 1 frames, the model needs 2", times=None, h=h[0], g=None)
    broken = h.copy()
    broken[1, 3] = np.nan
    refused(r"new.npz: h holds NaN at 1 of 16 points, first 3", h=broken)
    apart = 2 * np.array(TIMES)
    refused(r"frames 0 and 1 are 1 apart, the model was trained on steps of 0.5", times=apart)
    refused(r"new.npz: no time 0.7; times there", Options(time=0.7))
    refused(r"--steps 0 must be at least 1", Options(steps=0))
