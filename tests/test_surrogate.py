"""What a user loads and calls."""

import json

import numpy as np
import pytest
import torch

import llt
from llt.data import file
from llt.data.arrays import read_arrays, write_arrays
from llt.errors import CheckpointError, DataError
from llt.predict import predict_arrays
from llt.train import TrainConfig, train

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


def make_run(folder, data):
    file.write(folder / "set.h5", data)
    config = TrainConfig(epochs=1, batch_size=4)
    return train(folder / "set.h5", folder / "run", model_settings=MODEL, config=config)


@pytest.fixture(scope="module")
def grid_run(tmp_path_factory):
    from tests.conftest import darcy_like

    return make_run(tmp_path_factory.mktemp("grid"), darcy_like())


@pytest.fixture(scope="module")
def point_run(tmp_path_factory):
    from tests.conftest import ragged

    return make_run(tmp_path_factory.mktemp("points"), ragged())


def test_prediction_is_in_physical_units(grid_run, darcy_data):
    surrogate = llt.load(grid_run)
    sample = darcy_data.sample(0)
    u = surrogate.predict(sample.points, sample.inputs)
    with torch.no_grad():
        x = surrogate.normalizer.encode_points(torch.from_numpy(sample.points))[None]
        a = surrogate.normalizer.encode_inputs(torch.from_numpy(sample.inputs))[None]
        raw = surrogate.model(x, a)[0]
    expected = raw * surrogate.normalizer.u_std + surrogate.normalizer.u_mean
    np.testing.assert_allclose(u, expected, rtol=1e-5)


def test_shapes_come_back_as_they_went_in(grid_run):
    surrogate = llt.load(grid_run)
    for lead in [(81,), (3, 81), (9, 9), (3, 9, 9), (2, 12, 7)]:
        assert surrogate.predict(np.random.rand(*lead, 2), np.ones((*lead, 1))).shape == (*lead, 1)


def test_point_sets_of_any_size(point_run):
    surrogate = llt.load(point_run)
    for lead in [(5,), (50,), (2, 30)]:
        assert surrogate.predict(np.random.rand(*lead, 2), np.ones((*lead, 1))).shape == (*lead, 2)


BAD_INPUT = {
    "wrong dimension": ((81, 3), (81, 1), "points have shape (81, 3), expected (..., 2)"),
    "wrong channels": ((81, 2), (81, 2), "expected (81, 1) (fields: permeability)"),
    "wrong rows": ((81, 2), (80, 1), "inputs have shape (80, 1)"),
    "wrong grid": ((80, 2), (80, 1), "80 points do not fill the grid (9, 9)"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_explained(grid_run, case):
    x, a, message = BAD_INPUT[case]
    with pytest.raises(DataError) as caught:
        llt.load(grid_run).predict(np.zeros(x), np.zeros(a))
    assert message in str(caught.value)


def test_nan_input_is_rejected(grid_run):
    with pytest.raises(DataError, match="NaN or infinity"):
        llt.load(grid_run).predict(np.full((81, 2), np.nan), np.zeros((81, 1)))


def test_loading_what_is_not_there(tmp_path, grid_run):
    with pytest.raises(CheckpointError, match="nowhere: no such run or checkpoint"):
        llt.load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match="empty: no checkpoint in it yet"):
        llt.load(tmp_path / "empty")


def copy_checkpoint(run, folder):
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        (folder / name).write_bytes((run / "best" / name).read_bytes())
    return folder


def test_damaged_checkpoints_are_named(tmp_path, grid_run):
    broken = copy_checkpoint(grid_run, tmp_path / "weights")
    (broken / "model.safetensors").write_bytes(b"junk")
    with pytest.raises(CheckpointError, match=r"model.safetensors: damaged"):
        llt.load(broken)
    broken = copy_checkpoint(grid_run, tmp_path / "json")
    (broken / "config.json").write_text("{")
    with pytest.raises(CheckpointError, match=r"config.json: not valid JSON"):
        llt.load(broken)
    broken = copy_checkpoint(grid_run, tmp_path / "other")
    config = json.loads((broken / "config.json").read_text())
    config["arguments"]["num_layers"] = 2
    (broken / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match=r"weights do not fit config.json"):
        llt.load(broken)


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_arrays_round_trip(tmp_path, suffix):
    arrays = {"permeability": np.random.rand(2, 9, 9).astype(np.float32)}
    write_arrays(tmp_path / f"in{suffix}", arrays)
    again = read_arrays(tmp_path / f"in{suffix}")
    np.testing.assert_array_equal(again["permeability"], arrays["permeability"])


def test_grid_points_may_be_left_out(grid_run, darcy_data):
    """Without points a field is taken to fill the training box evenly, at any resolution."""
    surrogate = llt.load(grid_run)
    a = darcy_data.inputs[:2].reshape(2, 9, 9)
    implicit = predict_arrays(surrogate, {"permeability": a})
    explicit = predict_arrays(
        surrogate, {"permeability": a, "points": darcy_data.points.reshape(9, 9, 2)}
    )
    np.testing.assert_allclose(implicit["pressure"], explicit["pressure"], rtol=1e-4)
    np.testing.assert_allclose(implicit["points"], explicit["points"], atol=1e-6)
    assert predict_arrays(surrogate, {"permeability": np.ones((5, 7))})["pressure"].shape == (5, 7)


BAD_ARRAYS = {
    "no field": ({"permeabilty": np.ones((9, 9))}, "unknown field 'permeability'; did you mean"),
    "empty": ({}, "no field 'permeability'; the file is empty"),
    "flat": ({"permeability": np.ones(81)}, "are not on a 2-D grid; add 'points'"),
    "points": (
        {"permeability": np.ones((9, 9)), "points": np.ones((4, 4, 2))},
        "points (4, 4, 2) do not fit fields of shape (9, 9)",
    ),
}


@pytest.mark.parametrize("case", BAD_ARRAYS)
def test_bad_arrays_are_explained(grid_run, case):
    arrays, message = BAD_ARRAYS[case]
    with pytest.raises(DataError) as caught:
        predict_arrays(llt.load(grid_run), arrays, where="in.npz")
    assert str(caught.value).startswith("in.npz: ")
    assert message in str(caught.value)


def test_unreadable_array_files(tmp_path):
    with pytest.raises(DataError, match=r"no such file"):
        read_arrays(tmp_path / "none.npz")
    with pytest.raises(DataError, match=r"unknown suffix '.csv'; use .npz, .h5, .hdf5"):
        read_arrays(tmp_path / "table.csv")
    (tmp_path / "bad.npz").write_text("x")
    with pytest.raises(DataError, match=r"bad.npz: not a readable .npz file or damaged"):
        read_arrays(tmp_path / "bad.npz")
