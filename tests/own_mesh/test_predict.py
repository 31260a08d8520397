"""Files of simulation programs in, the same files out, with predictions beside what they had."""

import re

import numpy as np
import pytest

import llt
from llt.errors import ConfigError, DataError
from llt.models import build_model
from llt.own_mesh.predict import Options, is_of_files, predict_files
from llt.surrogate import load
from tests.data.folder.made import case, write, write_cases
from tests.own_mesh.made import surrogate_of, write_table, write_times


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Cases with inputs k, outputs T and U in the plane, and the number speed in every file."""
    return write_cases(tmp_path_factory.mktemp("plane") / "cases")


@pytest.fixture(scope="module")
def surrogate(folder):
    return surrogate_of(folder, inputs=("k",), outputs=("T", "U"))


def predicted(surrogate, new, out, **options):
    done, bad = predict_files(surrogate, new, out, Options(**options))
    assert not bad
    return done


def test_a_file_comes_back_with_predictions_and_errors(surrogate, tmp_path):
    arrays = case(3, num=30)
    new = write(tmp_path, "new", **arrays)
    done = predicted(surrogate, new, tmp_path / "out.npz")
    found = dict(np.load(tmp_path / "out.npz"))
    u = surrogate.predict(arrays["points"], {"k": arrays["k"]}, parameters={"speed": 4.0})
    for name in arrays:
        np.testing.assert_array_equal(found[name], arrays[name])
    np.testing.assert_allclose(found["T_pred"], u["T"], rtol=1e-5)
    np.testing.assert_allclose(found["U_pred"], np.stack([u["U_x"], u["U_y"]], -1), rtol=1e-5)
    np.testing.assert_allclose(found["U_error"], found["U_pred"] - arrays["U"], atol=1e-5)
    error = np.linalg.norm(found["T_pred"] - arrays["T"]) / np.linalg.norm(arrays["T"])
    assert done[0].errors["T"] == pytest.approx(error, rel=1e-4)
    assert {*done[0].seconds} == {"read", "neighbors", "predict", "write"}
    assert done[0].count == 30


def test_without_the_truth_there_are_predictions_alone(surrogate, tmp_path):
    new = write(tmp_path, "new", **case(3, T=None, U=None))
    done = predicted(surrogate, new, tmp_path / "out.npz")
    assert {*np.load(tmp_path / "out.npz")} == {"points", "k", "speed", "T_pred", "U_pred"}
    assert not done[0].errors


def test_a_truth_with_gaps_is_compared_where_it_is_known(surrogate, tmp_path):
    T = case(3)["T"]
    T[4] = np.nan
    done = predicted(surrogate, write(tmp_path, "new", **case(3, T=T)), tmp_path / "out.npz")
    error = np.load(tmp_path / "out.npz")["T_error"]
    assert np.isnan(error).nonzero()[0].tolist() == [4]
    assert np.isfinite(done[0].errors["T"])


def test_the_plan_is_part_of_a_checkpoint(surrogate, folder, tmp_path):
    surrogate.save(tmp_path / "weights")
    again = load(tmp_path / "weights")
    assert again.files == surrogate.files
    predicted(again, folder / "c0.npz", tmp_path / "out.npz")


BAD = {
    "missing field": (case(1, k=None), "new.npz: unknown field 'k'; choose from T, U"),
    "dimension": (case(1, points=np.ones((20, 3)) * np.arange(20)[:, None]), "z differs by 19"),
    "NaN": (case(1, k=np.full(20, np.nan)), "k holds NaN at 20 of 20 points"),
    "no number": (case(1, speed=None), r"no value of speed; pass --param speed=VALUE, or --params"),
    "components": (case(1, U=np.ones((20, 3))), "U has 3 components, expected 2"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_does_not_follow_the_plan_is_named(surrogate, tmp_path, kind):
    arrays, message = BAD[kind]
    new = write(tmp_path, "new", **arrays)
    with pytest.raises(DataError, match=message) as caught:
        predict_files(surrogate, new, tmp_path / "out.npz")
    assert str(new) in str(caught.value) and "\n" not in str(caught.value)
    assert not (tmp_path / "out.npz").exists()


MIX_UPS = {
    "units": (lambda x: x * 1000, r"x .* is .* times larger than trained on \(.* to .*\); y .*"),
    "axes": (lambda x: x[:, ::-1], "x and y look swapped: x .* to .*, trained on x .* to "),
}


@pytest.mark.parametrize("kind", MIX_UPS)
def test_mixed_up_units_and_axes_are_told_with_both_boxes(tmp_path, kind):
    change, message = MIX_UPS[kind]
    for i in range(5):
        write(tmp_path / "cases", f"c{i}", points=case(i)["points"] * [1, 3], T=case(i)["T"])
    new = write(tmp_path, "new", points=change(case(0)["points"] * [1, 3]))
    done = predicted(surrogate_of(tmp_path / "cases"), new, tmp_path / "out.npz")
    assert len(done[0].warnings) == 1
    assert re.search(message, done[0].warnings[0])


def test_a_folder_becomes_a_folder_and_a_broken_file_is_named(surrogate, tmp_path):
    write_cases(tmp_path / "new", num=3)
    (tmp_path / "new" / "c1.npz").write_bytes(b"PK broken")
    done, bad = predict_files(surrogate, tmp_path / "new", tmp_path / "out")
    assert [one.name for one in done] == ["c0", "c2"]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"c0.npz", "c2.npz"}
    assert [*bad] == ["c1"] and "c1.npz" in bad["c1"]


def test_nothing_that_exists_is_replaced_unless_asked(surrogate, folder, tmp_path):
    out = tmp_path / "out.npz"
    out.write_text("mine")
    with pytest.raises(ConfigError, match="already exists"):
        predict_files(surrogate, folder / "c0.npz", out)
    predicted(surrogate, folder / "c0.npz", out, force=True)
    with pytest.raises(ConfigError, match="is the case itself"):
        predict_files(surrogate, out, out, Options(force=True))
    with pytest.raises(ConfigError, match=r"is a \.npz file; name it out\.npz"):
        predict_files(surrogate, folder / "c0.npz", tmp_path / "out.vtu")


def test_only_prepared_data_say_what_files_hold(tmp_path):
    x = np.random.default_rng(0).random((4, 9, 2))
    data = llt.Dataset.from_arrays("plain", points=x, outputs={"u": x[..., 0]})
    surrogate = llt.Surrogate.fit(build_model("llt", data.problem, dim=8, heads=2), data)
    (tmp_path / "new.csv").write_text("x,y\n0,0\n1,1\n")
    assert is_of_files(surrogate, tmp_path / "new.csv")
    with pytest.raises(ConfigError, match="not trained on a file of llt prepare"):
        predict_files(surrogate, tmp_path / "new.csv", tmp_path / "out.csv")


def test_arrays_of_our_own_are_told_from_files(surrogate, folder):
    assert is_of_files(surrogate, folder / "c0.npz")
    assert not is_of_files(surrogate, folder.with_name("cases.h5"))
    assert is_of_files(surrogate, folder)
    assert is_of_files(surrogate, folder / "none.vtu")
    with pytest.raises(DataError, match=r"none.vtu: no such file"):
        predict_files(surrogate, folder / "none.vtu", folder / "out.vtu")


def test_a_folder_within_that_of_the_cases_is_no_case(surrogate, tmp_path):
    new = write_cases(tmp_path / "new", num=2)
    for force in (False, True):
        done = predicted(surrogate, new, new / "out", force=force)
        assert [one.name for one in done] == ["c0", "c1"]


def test_another_resolution_of_a_grid(tmp_path):
    pytest.importorskip("pyvista")
    import pyvista

    def grid(nx, ny, i=0):
        plane = pyvista.ImageData(dimensions=(nx, ny, 1), spacing=(1 / (nx - 1), 1 / (ny - 1), 1))
        plane.point_data["T"] = plane.points[:, 0] * (1 + i) + plane.points[:, 1]
        plane.point_data["k"] = plane.points[:, 0] + i
        return plane

    (tmp_path / "cases").mkdir()
    for i in range(4):
        grid(7, 5, i).save(tmp_path / "cases" / f"c{i}.vti")
    surrogate = surrogate_of(tmp_path / "cases", inputs=("k",), outputs=("T",))
    assert surrogate.problem.grid == (5, 7)
    grid(13, 9).save(tmp_path / "new.vti")
    predicted(surrogate, tmp_path / "new.vti", tmp_path / "out.vti")
    found = pyvista.read(tmp_path / "out.vti")
    x = found.points[:, :2].reshape(9, 13, 2)
    u = surrogate.predict(x, {"k": found.point_data["k"].reshape(9, 13)})
    np.testing.assert_allclose(found.point_data["T_pred"], u["T"].ravel(), rtol=1e-5)


def test_all_times_of_a_case_with_inputs_of_the_first(tmp_path):
    cases = write_times(tmp_path / "cases")
    surrogate = surrogate_of(cases, inputs=("g",), outputs=("h",), time="all")
    new = write_times(tmp_path / "new", num=1) / "c0.npz"
    done = predicted(surrogate, new, tmp_path / "out.npz")
    found = np.load(tmp_path / "out.npz")
    u = surrogate.predict(found["points"], {"g": found["g"][0]}, [0.0, 0.5, 1.0])["h"]
    np.testing.assert_allclose(found["h_pred"], u, rtol=1e-5)
    np.testing.assert_allclose(found["h_error"], u - found["h"], atol=1e-5)
    assert done[0].errors["h"] > 0
    with pytest.raises(DataError, match=r"c0.npz: no time 0.3; times there: 3 from 0 to 1"):
        predict_files(surrogate, new, tmp_path / "at.npz", Options(time=[0.3]))


def test_a_mesh_without_times_gets_those_trained_on(tmp_path):
    surrogate = surrogate_of(write_times(tmp_path / "cases"), outputs=("h",), time="all")
    new = write(tmp_path, "new", points=np.random.default_rng(9).random((12, 2)))
    predicted(surrogate, new, tmp_path / "out.npz")
    found = np.load(tmp_path / "out.npz")
    assert found["h_pred"].shape == (3, 12) and found["times"].tolist() == [0, 0.5, 1]
    predicted(surrogate, new, tmp_path / "one.npz", time=0.25)
    one = np.load(tmp_path / "one.npz")["h_pred"]
    np.testing.assert_allclose(one, surrogate.predict(found["points"], {}, 0.25)["h"], rtol=1e-5)


def test_a_state_to_begin_with_is_no_truth(tmp_path):
    surrogate = surrogate_of(write_times(tmp_path / "c"), outputs=("h", "g"), time="last")
    x = np.random.default_rng(9).random((12, 2))
    new = write(tmp_path / "new", "n", points=x, h=np.zeros(12), g=x[:, 0])
    done, _ = predict_files(surrogate, new, tmp_path / "out.npz")
    assert {*done[0].errors} == {"g"}
    with np.load(tmp_path / "out.npz") as arrays:
        assert "h_pred" in arrays and "h_error" not in arrays and "g_error" in arrays


def test_steady_models_have_no_times(surrogate, folder, tmp_path):
    with pytest.raises(ConfigError, match="knows no times"):
        predict_files(surrogate, folder / "c0.npz", tmp_path / "o.npz", Options(time=1.0))


def test_parameters_from_a_table_beside_the_cases(tmp_path):
    cases = write_cases(tmp_path / "cases", speed=None)
    rows = [(f"c{i}", 1.0 + i) for i in range(7)]
    write_table(cases / "params.csv", ["pull [MPa]"], rows)
    surrogate = surrogate_of(cases, outputs=("T",))
    new = write_cases(tmp_path / "new", num=2, speed=None)
    with pytest.raises(DataError, match=r"c0.npz: no value of pull \[MPa\]; pass --param pull="):
        predict_files(surrogate, new / "c0.npz", tmp_path / "o.npz")
    _, bad = predict_files(surrogate, new, tmp_path / "none")
    assert [*bad] == ["c0", "c1"]
    write_table(new / "numbers.csv", ["pull [MPa]"], [("c0", 2.5), ("c1", 4.5)])
    lines = []
    _, bad = predict_files(surrogate, new, tmp_path / "out", tell=lines.append)
    assert not bad and "numbers.csv" in lines[0]
    found = np.load(tmp_path / "out" / "c1.npz")
    u = surrogate.predict(found["points"], {}, parameters={"pull": 4.5})["T"]
    np.testing.assert_allclose(found["T_pred"], u, rtol=1e-5)
