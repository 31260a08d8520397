"""Other resolutions: which can be asked, what thinning keeps, and the floor of resampling."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.interpolate import RectBivariateSpline

import llt
from llt.cli.evaluate import parse_resolutions, show, study_resolutions
from llt.data import dataset_file
from llt.data.thinning import thin
from llt.errors import ConfigError
from llt.evaluation import evaluate, resolution
from llt.evaluation.report import write_report
from llt.evaluation.resolution import (
    asked_grids,
    errors_by_resolution,
    grid_name,
    holds,
    resampled,
    resolution_job,
    solved,
    spline,
)
from llt.evaluation.verdict import percent
from llt.problem import AIRFOIL, DARCY, ELASTICITY
from llt.solvers.base import Solution
from llt.training import TrainConfig, train
from tests.conftest import darcy_like
from tests.data.kinds import flow

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


def generated():
    settings = {"resolution": 25, "stored_resolution": 9, "tau": 3.0}
    return replace(darcy_like(), provenance={"source": "generated", "settings": settings})


def test_samples_are_solved_again_on_the_finest_grid():
    job = resolution_job(generated(), [(7, 7)])
    assert job == {"resolution": 25, "stored_resolution": 25, "tau": 3.0}


def test_resolutions_are_numbers_or_grids():
    assert asked_grids(DARCY, [61, (85, 43)]) == [(61, 61), (85, 43)]
    assert asked_grids(AIRFOIL, parse_resolutions("221x51,111x26")) == [(221, 51), (111, 26)]
    assert parse_resolutions("61,106") == [61, 106]
    with pytest.raises(ConfigError, match=r"resolution 111: the grid is 221x51; spell others like"):
        asked_grids(AIRFOIL, [111])
    with pytest.raises(ConfigError, match="elasticity is a point set and has no resolution"):
        asked_grids(ELASTICITY, [61])
    with pytest.raises(ConfigError, match="61y: expected numbers as in 61,141,211, or grids as in"):
        parse_resolutions("61y")


def test_only_what_the_file_or_its_solver_holds_can_be_asked():
    assert holds((25, 25), [(5, 5), (7, 25), (9, 9)])
    assert not holds((25, 25), [(5, 5), (8, 8)])
    assert not holds((25, 25), [(4, 4)]) and not holds((9, 9), [(25, 25)])
    message = r"^resolution 8x8 is not .* the solver's 25x25; choose from \[5, 7, 9, 13, 25\]$"
    with pytest.raises(ConfigError, match=message):
        resolution_job(generated(), [(7, 7), (8, 8)])
    with pytest.raises(ConfigError, match=r"7x7 .* the file's 9x9; choose from \[5, 9\]$"):
        resolution_job(darcy_like(), [(5, 5), (7, 7)])
    wide = flow((63,) * 5, grid=(9, 7))
    with pytest.raises(ConfigError, match=r"5x5 .* the file's 9x7; choose from \[5, 9\] x \[7\]$"):
        resolution_job(wide, [(5, 5)])


def test_solved_fields_stay_at_their_points(monkeypatch):
    """Fields that are functions of the coordinates must be so after thinning."""
    axis = np.linspace(0, 1, 25)
    y, x = np.meshgrid(axis, axis, indexing="ij")
    points = np.stack([x, y], axis=-1)
    fields = {"inputs": {"permeability": x + 2 * y}, "outputs": {"pressure": x - y}}
    asked = []

    def remember(surrogate, data, indices):
        asked.append(data)
        return np.array([0.1, 0.3])[indices], np.ones((2, 1))

    monkeypatch.setattr(resolution, "split_errors", remember)
    monkeypatch.setattr(resolution, "floor_errors", lambda *args: (0.5, 0.25))
    fine = solved(generated().problem, [Solution(points=points, **fields)] * 2)
    rows = errors_by_resolution(SimpleNamespace(), fine, [(5, 5), (13, 7)])
    numbers = {"resampled": 0.5, "interpolation": 0.25, "samples": 2, "fields": {"pressure": 1.0}}
    assert rows == [
        {"resolution": 5, "relative_l2": pytest.approx(0.2), **numbers},
        {"resolution": "13x7", "relative_l2": pytest.approx(0.2), **numbers},
    ]
    assert [grid_name(row) for row in rows] == ["5 x 5", "13 x 7"]
    for grid, data in zip([(5, 5), (13, 7)], asked, strict=True):
        assert data.problem.grid == grid
        px, py = data.points.T
        assert (px.max(), py.max()) == (1, 1)
        np.testing.assert_allclose(data.inputs[1, :, 0], px + 2 * py, atol=1e-6)
        np.testing.assert_allclose(data.outputs[1, :, 0], px - py, atol=1e-6)


def test_fields_are_resampled_by_cubic_splines():
    """As scipy does it on a grid in two dimensions."""
    rng = np.random.default_rng(0)
    u = rng.random((2, 9, 7, 3))
    matrices = [spline(9, 17), spline(7, 5)]
    found = resampled(torch.from_numpy(u).reshape(2, 63, 3), matrices).reshape(2, 17, 5, 3)
    axes = [np.linspace(0, 1, n) for n in (9, 7, 17, 5)]
    for row, channel in np.ndindex(2, 3):
        expected = RectBivariateSpline(*axes[:2], u[row, ..., channel])(*axes[2:])
        np.testing.assert_allclose(found[row, ..., channel], expected, rtol=1e-4, atol=1e-5)
    for n in (2, 3, 4):  # lines too short for cubics are met as they are
        torch.testing.assert_close(spline(n, n), torch.eye(n))


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """A run on the 9 x 9 points of a file of 17 x 17."""
    folder = tmp_path_factory.mktemp("fine")
    data = darcy_like(n=17)
    dataset_file.write(folder / "set.h5", data)
    config = TrainConfig(epochs=1, strides=(2, 1))
    run = train(folder / "set.h5", folder / "run", model_settings=MODEL, config=config)
    return run, data


def test_the_floor_is_a_prediction_on_the_base_grid_interpolated(case):
    run, data = case
    surrogate = llt.load(run)
    rows = study_resolutions(run, [5, 9, 17], 1, "cpu")
    assert [row["resolution"] for row in rows] == [5, 9, 17]
    assert {row["samples"] for row in rows} == {2}  # of the file, which needs no solving

    def interpolated(u, n):
        side, fine = np.linspace(0, 1, 9), np.linspace(0, 1, n)
        return RectBivariateSpline(side, side, u.reshape(9, 9))(fine, fine).ravel()

    for n, row in zip((5, 9, 17), rows, strict=True):
        stride = 16 // (n - 1)
        errors = []
        for index in data.split("test"):
            base = thin(data, (2, 2)).sample(index)
            asked = thin(data, (stride, stride)).sample(index)
            u = surrogate.predict(base.points, base.inputs)
            points, a = (z.reshape(n, n, -1) for z in (asked.points, asked.inputs))
            direct = surrogate.predict(points, a)
            truth = asked.outputs.ravel()
            guesses = direct.ravel(), interpolated(u, n), interpolated(base.outputs, n)
            errors.append([np.linalg.norm(z - truth) / np.linalg.norm(truth) for z in guesses])
        found = [row[name] for name in ("relative_l2", "resampled", "interpolation")]
        np.testing.assert_allclose(found, np.mean(errors, axis=0), rtol=1e-3, atol=1e-6)
    assert rows[1]["interpolation"] == pytest.approx(0, abs=1e-6)
    assert rows[1]["resampled"] == pytest.approx(rows[1]["relative_l2"], rel=1e-5)
    assert rows[2]["interpolation"] > 1e-6


def test_floors_are_shown_and_reported(case, capsys):
    run, _ = case
    evaluation = evaluate(run, device="cpu")
    evaluation.resolutions = study_resolutions(run, [17, (9, 17)], 1, "cpu")
    show(evaluation)
    lines = capsys.readouterr().out.splitlines()[-3:]
    assert lines[0].split() == ["grid", "error", "resampled", "interpolation", "samples"]
    page = write_report(run, evaluation).read_text().replace("&#160;", " ")
    for line, row in zip(lines[1:], evaluation.resolutions, strict=True):
        numbers = [row[name] for name in ("relative_l2", "resampled", "interpolation")]
        assert line.split("  ")[1] == grid_name(row)
        assert line.split()[-4:] == [*(f"{x:.5f}" for x in numbers), "2"]
        mark = "trained on" if grid_name(row) == "17 x 17" else ""
        cells = [grid_name(row), *map(percent, numbers), 2, mark]
        assert "".join(f"<td>{cell}</td>" for cell in cells) in page


def test_older_evaluations_have_no_floors(case, capsys):
    evaluation = evaluate(case[0], device="cpu")
    evaluation.resolutions = [{"resolution": 7, "relative_l2": 0.125, "samples": 3}]
    show(evaluation)
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.split() == ["7", "x", "7", "0.12500", "-", "-", "3"]


def test_there_is_no_floor_where_the_data_lack_the_base_grid(case, tmp_path):
    run, _ = case
    dataset_file.write(tmp_path / "other.h5", darcy_like(n=13))
    rows = study_resolutions(run, [7, 13], 1, "cpu", tmp_path / "other.h5")
    assert [(row["resampled"], row["interpolation"]) for row in rows] == [(None, None)] * 2


def test_fields_on_some_points_have_no_floor_and_grids_need_not_be_square(tmp_path):
    dataset_file.write(tmp_path / "set.h5", flow((117,) * 5, times=2, grid=(9, 13)))
    config = TrainConfig(epochs=1, strides=((2, 3), (1, 1)))
    run = train(tmp_path / "set.h5", tmp_path / "run", model_settings=MODEL, config=config)
    assert llt.load(run).problem.grid == (5, 5)
    rows = study_resolutions(run, [(9, 7), (9, 13)], 1, "cpu")
    assert [row["resolution"] for row in rows] == ["9x7", "9x13"]
    assert all(row["resampled"] is None and 0 < row["relative_l2"] < 10 for row in rows)
