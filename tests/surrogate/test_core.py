"""What a user loads and calls."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import llt
from llt.checkpoint import read_tensors, read_weights, write_tensors
from llt.data import dataset_file
from llt.data.arrays import read_arrays, write_arrays
from llt.data.neighbors import training_radius
from llt.errors import CheckpointError, ConfigError, DataError
from llt.models import build_model
from llt.predict import predict_arrays
from llt.presets import find_preset
from llt.surrogate import Surrogate
from llt.training import TrainConfig, train

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


def make_run(folder, data):
    dataset_file.write(folder / "set.h5", data)
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


@pytest.fixture(scope="module")
def timed_surrogate(tmp_path_factory):
    """Of a problem with output times from 5 to 15."""
    from tests.data.kinds import timed

    data = replace(timed(), times=np.linspace(5, 15, 6))
    surrogate = llt.load(make_run(tmp_path_factory.mktemp("timed"), data))
    torch.nn.init.normal_(surrogate.model.blocks[0].film.weight)  # one epoch hardly moves it
    return surrogate


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


@pytest.mark.parametrize("lead", [(3, 9, 9), (2, 12, 7)], ids=str)
def test_a_batch_is_predicted_case_by_case(grid_run, lead):
    surrogate, rng = llt.load(grid_run), np.random.default_rng(0)
    x, a = rng.random((*lead, 2), np.float32), rng.random((*lead, 1), np.float32)
    together = surrogate.predict(x, a)
    for case in range(lead[0]):
        rows = (torch.from_numpy(z[case].reshape(1, -1, z.shape[-1])) for z in (x, a))
        alone = surrogate.predict_batch(*rows, grid=lead[1:])
        np.testing.assert_allclose(together[case].reshape(-1, 1), alone[0], rtol=1e-5)


def test_every_point_set_has_its_own_neighbors(point_run):
    surrogate, rng = llt.load(point_run), np.random.default_rng(0)
    assert surrogate.radius == training_radius(dataset_file.read(point_run.parent / "set.h5"))
    x, a = rng.random((2, 30, 2), np.float32), rng.random((2, 30, 1), np.float32)
    together = surrogate.predict(x, a)
    for case in range(2):
        alone = surrogate.predict(x[case], a[case])
        np.testing.assert_allclose(together[case], alone, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("chunk", [None, 7])
def test_neighbors_that_are_known_are_not_searched_for(point_run, monkeypatch, chunk):
    surrogate, rng = llt.load(point_run), np.random.default_rng(0)
    x, a = rng.random((30, 2), np.float32), rng.random((30, 1), np.float32)
    wanted, graph = surrogate.predict(x, a, chunk=chunk), surrogate.graph(x)
    monkeypatch.setattr("llt.surrogate.core.radius_graph", None)
    u = surrogate.predict(x, a, chunk=chunk, neighbors=graph)
    np.testing.assert_allclose(u, wanted, rtol=1e-5, atol=1e-6)
    with pytest.raises(DataError, match="neighbors of 29 points, there are 30"):
        surrogate.predict(x, a, neighbors=graph[:-1])


def test_time_is_asked_in_physical_units(timed_surrogate):
    surrogate, rng = timed_surrogate, np.random.default_rng(0)
    x, a = rng.random((12, 2), np.float32), rng.random((12, 1), np.float32)
    u = surrogate.predict(x, a, 10.0)
    with torch.no_grad():
        rows = [torch.from_numpy(z)[None] for z in (x, a)]
        scaled = surrogate.normalizer.encode_points(rows[0])
        fields = surrogate.normalizer.encode_inputs(rows[1])
        raw = surrogate.model(scaled, fields, t=torch.tensor([0.5]))[0]
    np.testing.assert_allclose(u, surrogate.normalizer.decode(raw), rtol=1e-4, atol=1e-6)
    arrays = {"die": a.reshape(4, 3), "points": x.reshape(4, 3, 2)}
    named = predict_arrays(surrogate, arrays, time=10.0)
    np.testing.assert_allclose(named["u_y"].ravel(), u[:, 3], rtol=1e-5)


def test_timed_problem_wants_a_time(timed_surrogate):
    with pytest.raises(DataError, match="plasticity: the problem is timed, pass the output time"):
        timed_surrogate.predict(np.zeros((12, 2)), np.zeros((12, 1)))


def test_point_sets_have_no_grid(point_run):
    with pytest.raises(DataError, match=r"shape \(2, 5, 5, 2\), expected \(N, d\) or \(B, N, d\)"):
        llt.load(point_run).predict(np.zeros((2, 5, 5, 2)), np.zeros((2, 5, 5, 1)))


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


@pytest.mark.parametrize(("x", "a"), [(np.nan, 0), (0, np.nan), (0, np.inf)])
def test_nan_input_is_rejected(grid_run, x, a):
    with pytest.raises(DataError, match="NaN or infinity"):
        llt.load(grid_run).predict(np.full((81, 2), x), np.full((81, 1), a))


def test_loading_what_is_not_there(tmp_path, grid_run):
    with pytest.raises(CheckpointError, match="nowhere: no such run or checkpoint"):
        llt.load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match="empty: no checkpoint in it yet"):
        llt.load(tmp_path / "empty")


def test_a_run_is_loaded_with_its_best_weights(tmp_path, grid_run):
    best = llt.load(copy_checkpoint(grid_run, tmp_path / "run" / "best"))
    last = llt.load(grid_run)
    torch.nn.init.zeros_(last.model.head[0].weight)
    last.save(tmp_path / "run" / "last")
    loaded = llt.load(tmp_path / "run").model.head[0].weight
    assert torch.equal(loaded, best.model.head[0].weight)
    assert not llt.load(tmp_path / "run" / "last").model.head[0].weight.any()


def copy_checkpoint(run, folder):
    folder.mkdir(parents=True)
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
    with pytest.raises(CheckpointError, match=r"config.json: damaged: it is not what was written"):
        llt.load(broken)
    del config["checksum"]
    (broken / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match=r"safetensors: is not of the same moment as config"):
        llt.load(broken)
    write_tensors(broken / "model.safetensors", read_tensors(broken / "model.safetensors")[0], {})
    with pytest.raises(CheckpointError, match=r"config.json: weights do not fit"):
        llt.load(broken)


def test_changed_weights_are_noticed(tmp_path, grid_run):
    """One bit of one number; nothing else would tell."""
    broken = copy_checkpoint(grid_run, tmp_path / "bit")
    content = bytearray((broken / "model.safetensors").read_bytes())
    content[-3] ^= 1
    (broken / "model.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError, match="it is not what was written"):
        llt.load(broken)


def test_weights_that_are_no_numbers_are_refused(tmp_path, grid_run):
    surrogate = llt.load(grid_run)
    surrogate.model.head[0].weight.data[0, 0] = float("nan")
    surrogate.save(tmp_path / "nan")
    with pytest.raises(CheckpointError, match=r"head.0.weight holds numbers that are NaN"):
        llt.load(tmp_path / "nan")


def test_equal_surrogates_are_equal_bytes(tmp_path, grid_run):
    for name in ("one", "other"):
        llt.load(grid_run).save(tmp_path / name, epoch=3, val_error=0.1, note="a", more=[1])
    for file in ("config.json", "model.safetensors"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "other" / file).read_bytes()


def test_a_checkpoint_of_two_moments_is_refused(tmp_path, grid_run):
    """Killed between the writing of its two files."""
    surrogate = llt.load(grid_run)
    surrogate.save(tmp_path / "first")
    surrogate.normalizer.u_mean += 1
    surrogate.save(tmp_path / "second")
    (tmp_path / "first/config.json").write_bytes((tmp_path / "second/config.json").read_bytes())
    with pytest.raises(CheckpointError, match=r"not of the same moment as config.json"):
        llt.load(tmp_path / "first")
    assert llt.load(tmp_path / "second").normalizer.u_mean == surrogate.normalizer.u_mean


def test_checkpoints_without_checksums_are_read(tmp_path, grid_run):
    """As written before there were any."""
    old = copy_checkpoint(grid_run, tmp_path / "old")
    config = json.loads((old / "config.json").read_text())
    del config["checksum"]
    (old / "config.json").write_text(json.dumps(config))
    weights = load_file(old / "model.safetensors")
    save_file(weights, old / "model.safetensors", {"epoch": "3", "val_error": "0.5"})
    assert read_weights(old)[1] == {"epoch": 3, "val_error": 0.5}
    x = np.random.default_rng(0).random((9, 9, 2))
    a = np.ones((9, 9, 1))
    assert (llt.load(old).predict(x, a) == llt.load(grid_run).predict(x, a)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [({"format": "other"}, "not an llt checkpoint"), ({"version": 9}, "version 9, this llt reads")],
)
def test_checkpoints_of_another_format_are_refused(tmp_path, grid_run, change, message):
    folder = copy_checkpoint(grid_run, tmp_path / "checkpoint")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(CheckpointError, match=rf"config.json: {message}"):
        llt.load(folder)


def test_missing_weights_are_named(tmp_path, grid_run):
    folder = copy_checkpoint(grid_run, tmp_path / "checkpoint")
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"model.safetensors: no such file"):
        llt.load(folder)


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
    "flat": ({"permeability": np.ones(80)}, "of shape (80,) is not on a 2-D grid; add points"),
    "points": (
        {"permeability": np.ones((9, 9)), "points": np.ones((4, 4, 2))},
        "input 'permeability' has shape (9, 9), expected (4, 4)",
    ),
    "nan": ({"permeability": np.full((9, 9), np.nan)}, "points or inputs hold NaN"),
}


@pytest.mark.parametrize("case", BAD_ARRAYS)
def test_bad_arrays_are_explained(grid_run, case):
    arrays, message = BAD_ARRAYS[case]
    with pytest.raises(DataError) as caught:
        predict_arrays(llt.load(grid_run), arrays, where="in.npz")
    assert str(caught.value).startswith("in.npz: ")
    assert message in str(caught.value)


def test_output_fields_come_by_name(point_run):
    surrogate, rng = llt.load(point_run), np.random.default_rng(0)
    arrays = {"points": rng.random((30, 2)), "load": rng.random(30)}
    named = predict_arrays(surrogate, arrays)
    u = surrogate.predict(arrays["points"], arrays["load"][:, None])
    assert named.keys() == {"points", "stress", "strain"}
    np.testing.assert_allclose(named["stress"], u[:, 0], rtol=1e-5)
    np.testing.assert_allclose(named["strain"], u[:, 1], rtol=1e-5)


def test_point_sets_need_their_coordinates(point_run):
    with pytest.raises(DataError, match=r"in.npz: points: no points; this surrogate needs coord"):
        predict_arrays(llt.load(point_run), {"load": np.ones(30)}, where="in.npz")


def test_input_fields_of_different_shape(point_run):
    arrays = {"points": np.ones((5, 2)), "load": np.ones(4)}
    with pytest.raises(DataError, match=r"input 'load' has shape \(4,\), expected \(5,\)"):
        predict_arrays(llt.load(point_run), arrays)


def test_cases_of_different_sizes_stay_apart(point_run, ragged_data):
    """A ragged dataset file is predicted case by case, not as one large case."""
    surrogate = llt.load(point_run)
    outputs = predict_arrays(surrogate, read_arrays(point_run.parent / "set.h5"))
    np.testing.assert_array_equal(outputs["offsets"], ragged_data.offsets)
    for i in range(len(ragged_data)):
        sample, rows = ragged_data.sample(i), slice(*ragged_data.offsets[i : i + 2])
        u = surrogate.predict(sample.points, sample.inputs, check=False)
        np.testing.assert_array_equal(outputs["stress"][rows], u[:, 0])
        np.testing.assert_array_equal(outputs["strain"][rows], u[:, 1])


def test_offsets_must_divide_the_points(point_run):
    arrays = {"points": np.ones((5, 2)), "load": np.ones(5), "offsets": np.array([0, 2, 4])}
    with pytest.raises(DataError, match="offsets do not divide the 5 points into cases"):
        predict_arrays(llt.load(point_run), arrays)


def test_a_device_that_is_not_there_is_one_line(grid_run, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match="device cuda: no CUDA device is available here"):
        llt.load(grid_run, device="cuda")
    assert llt.load(grid_run, device="auto").device.type == "cpu"


def test_a_surrogate_is_short_in_print(grid_run):
    text = repr(llt.load(grid_run))
    assert text.startswith("<Surrogate darcy: permeability -> pressure on a 2-D 9x9; llt with ")
    assert text.endswith(" parameters on cpu>") and "\n" not in text


def test_unreadable_array_files(tmp_path):
    with pytest.raises(DataError, match=r"no such file"):
        read_arrays(tmp_path / "none.npz")
    with pytest.raises(DataError, match=r"unknown suffix '.csv'; use .npz, .h5, .hdf5"):
        read_arrays(tmp_path / "table.csv")
    (tmp_path / "bad.npz").write_text("x")
    with pytest.raises(DataError, match=r"bad.npz: damaged or cannot be read: "):
        read_arrays(tmp_path / "bad.npz")


def test_flat_cases_and_grid_cases_are_the_same(grid_run, darcy_data):
    """(B, N, 2) on the training grid is a stack of cases, not one case on a B x N grid."""
    surrogate = llt.load(grid_run)
    x = np.broadcast_to(darcy_data.points, (3, 81, 2))
    flat = surrogate.predict(x, darcy_data.inputs[:3])
    grid = surrogate.predict(x.reshape(3, 9, 9, 2), darcy_data.inputs[:3].reshape(3, 9, 9, 1))
    np.testing.assert_allclose(flat, grid.reshape(3, 81, 1), rtol=1e-5, atol=1e-7)


def test_points_left_out_are_the_training_mesh_even_when_uneven(tmp_path, darcy_data):
    """Also where axis 0 is x and the spacing is uneven, and interpolated at another resolution."""
    from dataclasses import replace

    axis = np.linspace(0, 1, 9) ** 2
    points = np.stack(np.meshgrid(axis, 3 * axis, indexing="ij"), axis=-1).astype(np.float32)
    run = make_run(tmp_path, replace(darcy_data, points=points.reshape(-1, 2)))
    surrogate = llt.load(run)
    same = predict_arrays(surrogate, {"permeability": np.ones((9, 9))})
    np.testing.assert_allclose(same["points"], points, atol=1e-6)
    finer = predict_arrays(surrogate, {"permeability": np.ones((17, 17))})["points"]
    np.testing.assert_allclose(finer[::2, ::2], points, atol=1e-6)
    np.testing.assert_allclose(finer[1, 0], (points[0, 0] + points[1, 0]) / 2, atol=1e-6)


@pytest.mark.parametrize("key", ["model", "arguments", "problem", "normalizer", "version"])
def test_checkpoint_with_a_missing_entry_is_named(tmp_path, grid_run, key):
    broken = copy_checkpoint(grid_run, tmp_path / "broken")
    config = json.loads((broken / "config.json").read_text())
    del config[key]
    (broken / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match=r"config.json: (damaged|version)"):
        llt.load(broken)


def test_amplified_coordinates_survive_saving_and_other_resolutions(tmp_path):
    """The mean mesh is in the checkpoint, and is interpolated where the grid is another one."""
    from tests.data.test_normalizer import bumps

    data = bumps(1e-2)
    run = make_run(tmp_path, data)
    surrogate = llt.load(run)
    assert surrogate.normalizer.gain > 1
    coarse = torch.from_numpy(data.points[0].reshape(7, 7, 2)[::3, ::3].reshape(1, 9, 2).copy())
    encoded = surrogate.encode_points(coarse, (3, 3))
    whole = surrogate.encode_points(torch.from_numpy(data.points[:1])).reshape(1, 7, 7, 2)
    torch.testing.assert_close(encoded, whole[:, ::3, ::3].reshape(1, 9, 2))
    with pytest.raises(DataError, match="needs coordinates"):
        predict_arrays(surrogate, {})


def test_a_surrogate_is_fitted_to_the_training_split_only():
    from tests.conftest import ragged

    data = ragged()
    surrogate = Surrogate.fit(llt.LLT(data.problem, **MODEL, max_neighbors=5), data)
    assert surrogate.radius == training_radius(data)
    part = surrogate.source(data, data.split("test"))
    assert part.neighbors is not None and part.neighbors.shape[-1] <= 5
    held_out = data.inputs.copy()
    held_out[data.offsets[data.split("train").max() + 1] :] += 100
    again = Surrogate.fit(surrogate.model, replace(data, inputs=held_out))
    assert torch.equal(again.normalizer.a_mean, surrogate.normalizer.a_mean)
    assert surrogate.mesh is None and not surrogate.shared_mesh


def test_a_surrogate_knows_the_mean_mesh_of_grids(darcy_data):
    surrogate = Surrogate.fit(llt.LLT(darcy_data.problem, **MODEL), darcy_data)
    assert surrogate.shared_mesh and surrogate.radius is None
    np.testing.assert_array_equal(surrogate.mesh, darcy_data.points)


def test_a_surrogate_is_loaded_in_a_precision(grid_run, darcy_data):
    """Which the CPU does not have; what does not exist is refused at once."""
    sample = darcy_data.sample(0)
    loaded = [llt.load(grid_run, precision=precision) for precision in ("auto", "fp16")]
    assert [surrogate.precision for surrogate in loaded] == ["auto", "fp16"]
    u = [surrogate.predict(sample.points, sample.inputs) for surrogate in loaded]
    np.testing.assert_array_equal(*u)
    with pytest.raises(ConfigError, match="unknown precision 'half'"):
        llt.load(grid_run, precision="half")


@pytest.mark.parametrize("shape", [(0, 2), (0, 9, 9, 2), (3, 0, 2)], ids=str)
def test_no_points_at_all_are_refused(grid_run, shape):
    with pytest.raises(DataError, match=r"there are none"):
        llt.load(grid_run).predict(np.zeros(shape), np.zeros((*shape[:-1], 1)))


def test_mean_field_follows_to_other_grids_and_through_a_checkpoint(tmp_path, darcy_data):
    """Where the model says nothing, the prediction is the mean field, interpolated."""
    problem = darcy_data.problem
    surrogate = Surrogate.fit(
        build_model("llt", problem, **find_preset("tiny").model), darcy_data, mean_field=True
    )
    surrogate.save(tmp_path / "saved")
    loaded = llt.load(tmp_path / "saved")
    train = darcy_data.outputs[darcy_data.split("train")]
    field = train.mean(0).reshape(problem.grid)
    # deviations from the mean are what is scaled
    assert loaded.normalizer.u_std.item() == pytest.approx((train - train.mean(0)).std(), rel=1e-5)
    n = problem.grid[0]
    fine = np.linspace(0, 1, 2 * n - 1)
    x = np.stack(np.meshgrid(fine, fine), -1)
    with loaded.predicting_the_mean():
        u = loaded.predict(x, np.ones((*x.shape[:2], 1)))[..., 0]
    assert u[::2, ::2] == pytest.approx(field, rel=1e-5, abs=1e-7)
    assert u[1::2, ::2] == pytest.approx((field[1:] + field[:-1]) / 2, rel=1e-5, abs=1e-7)
