"""Predictions by name: case parameters, and names that inputs and outputs share."""

from dataclasses import replace

import h5py
import numpy as np
import pytest
import torch

from llt.data import dataset_file
from llt.data.arrays import read_arrays
from llt.data.normalizer import Normalizer
from llt.errors import DataError
from llt.models import build_model
from llt.predict import predict_arrays
from llt.problem import Problem
from llt.surrogate import Surrogate
from tests.data.kinds import flow
from tests.heat import heat
from tests.surrogate.test_rollout import by_hand, ruled

POINTS = Problem(
    name="wing",
    space_dim=2,
    inputs=("height",),
    outputs=("height", "pressure"),
    parameters=("angle", "speed"),
)
GRID = replace(POINTS, grid=(5, 4))
BARE = replace(POINTS, inputs=())


def make_surrogate(problem):
    torch.manual_seed(0)
    model = build_model("llt", problem, dim=8, num_layers=1, heads=2)
    Ca, Cu = problem.in_channels, problem.out_channels
    normalizer = Normalizer(
        x_low=[0.0] * 2,
        x_size=[1.0] * 2,
        a_mean=[0.0] * Ca,
        a_std=[1.0] * Ca,
        u_mean=[0.0] * Cu,
        u_std=[1.0] * Cu,
        t_range=(0.0, 1.0),
    )
    return Surrogate(model, normalizer, radius=0.3)


@pytest.mark.parametrize(
    ("problem", "case"), [(POINTS, (20,)), (GRID, (20,)), (GRID, (5, 4)), (GRID, (4, 4))]
)
def test_parameters_are_constant_channels_behind_the_fields(problem, case):
    surrogate, rng = make_surrogate(problem), np.random.default_rng(0)
    x, height = rng.random((4, *case, 2), np.float32), rng.random((4, *case), np.float32)
    angle = rng.random(4).astype(np.float32)
    arrays = {"points": x, "height": height, "angle": angle, "speed": np.float32(2)}
    named = predict_arrays(surrogate, arrays)
    assert named.keys() == {"points", "height", "pressure"}
    for i in range(4):
        constant = [np.full(case, value, np.float32) for value in (angle[i], 2)]
        u = surrogate.predict(x[i], np.stack([height[i], *constant], axis=-1))
        np.testing.assert_allclose(named["height"][i], u[..., 0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(named["pressure"][i], u[..., 1], rtol=1e-4, atol=1e-5)


def test_one_case_is_predicted_for_many_parameters():
    surrogate, rng = make_surrogate(BARE), np.random.default_rng(0)
    x, angle = rng.random((20, 2), np.float32), np.linspace(0, 2, 3)
    many = predict_arrays(surrogate, {"points": x, "angle": angle, "speed": 1.0})["pressure"]
    assert many.shape == (3, 20)
    for i in range(3):
        one = predict_arrays(surrogate, {"points": x, "angle": angle[i], "speed": np.ones(1)})
        assert one["pressure"].shape == (20,)
        np.testing.assert_allclose(many[i], one["pressure"], rtol=1e-4, atol=1e-5)
    assert np.abs(many[0] - many[2]).max() > 1e-3


def test_several_times_have_an_axis_behind_the_cases():
    surrogate, rng = make_surrogate(replace(POINTS, timed=True)), np.random.default_rng(0)
    torch.nn.init.normal_(surrogate.model.blocks[0].film.weight)  # else time changes nothing
    times = [0.0, 0.25, 1.0]
    x, height = rng.random((10, 2), np.float32), rng.random(10, np.float32)
    numbers = {"angle": np.float32(1), "speed": np.float32(2)}
    ragged = {"points": x, "height": height, "offsets": np.array([0, 4, 10]), **numbers}
    found = predict_arrays(surrogate, ragged, time=times)
    assert found["pressure"].shape == (3, 10) and found["times"].tolist() == times
    for k, t in enumerate(times):
        once = predict_arrays(surrogate, ragged, time=t)
        assert "times" not in once
        np.testing.assert_allclose(found["pressure"][k], once["pressure"], rtol=1e-4, atol=1e-5)
    assert np.abs(found["pressure"][0] - found["pressure"][2]).max() > 1e-4


@pytest.mark.parametrize(("case", "points"), [((20,), (20, 2)), ((5, 4), (5, 4, 2))])
@pytest.mark.parametrize("several", [False, True])
def test_points_that_were_left_out_come_back(case, points, several):
    surrogate, rng = make_surrogate(replace(GRID, timed=True)), np.random.default_rng(0)
    surrogate = replace(surrogate, mesh=torch.rand(20, 2), shared_mesh=True)
    arrays = {"height": rng.random((3, *case)), "angle": 1.0, "speed": 2.0}
    found = predict_arrays(surrogate, arrays, time=[0.0, 1.0] if several else 0.5)
    assert found["pressure"].shape == (3, *[2] * several, *case)
    np.testing.assert_array_equal(found["points"], surrogate.mesh.reshape(points))


BAD = {
    "missing": ({"speed": 1.0}, "unknown field 'angle'"),
    "per point": ({"angle": np.ones((4, 20)), "speed": 1.0}, "'angle' has shape (4, 20)"),
    "count": ({"angle": np.ones(3), "speed": 1.0}, "'angle' has shape (3,), expected () or (4,)"),
    "nan": ({"angle": np.full(4, np.nan), "speed": 1.0}, "inputs hold NaN"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_parameters_are_explained(case):
    numbers, message = BAD[case]
    arrays = {"points": np.random.rand(4, 20, 2), "height": np.ones((4, 20)), **numbers}
    with pytest.raises(DataError) as caught:
        predict_arrays(make_surrogate(POINTS), arrays, where="in.npz")
    assert str(caught.value).startswith("in.npz: ") and message in str(caught.value)


def test_parameters_are_among_the_fields_that_an_array_must_have():
    with pytest.raises(DataError, match=r"\(20, 3\) \(fields: height, angle, speed\)"):
        make_surrogate(POINTS).predict(np.zeros((20, 2)), np.zeros((20, 1)))


@pytest.mark.parametrize("others", ["derived", "outputs"])
def test_inputs_of_a_dataset_file_come_before_other_arrays_of_their_name(tmp_path, others):
    """Whichever group the file lists first."""
    with h5py.File(tmp_path / "set.h5", "w") as file:
        for group, value in (("inputs", 1), ("parameters", 2), (others, 3)):
            file[f"{group}/{'angle' if group == 'parameters' else 'height'}"] = np.full(4, value)
        file[f"{others}/angle"] = np.full(4, 3)
        file[f"{others}/pressure"] = np.full(4, 4)
    arrays = read_arrays(tmp_path / "set.h5")
    assert {name: value[0] for name, value in arrays.items()} == {
        "angle": 2,
        "height": 1,
        "pressure": 4,
    }


@pytest.mark.parametrize("kind", ["grid", "uneven points", "ragged"])
def test_a_dataset_file_is_rolled_out_from_its_first_frames(kind, tmp_path):
    points = {"grid": 0, "uneven points": 9, "ragged": 9}[kind]
    data = heat(6, frames=5, side=4, points=points, own_points=kind == "ragged", power=2)
    dataset_file.write(tmp_path / "heat.h5", data)
    surrogate, arrays = ruled(data, 2), read_arrays(tmp_path / "heat.h5")
    found = predict_arrays(surrogate, arrays)
    np.testing.assert_allclose(found["times"], data.times[2:])
    right = [by_hand(data, i, 2, 3)[..., 0] for i in range(6)]
    if kind == "ragged":
        np.testing.assert_allclose(found["T"], np.concatenate(right, axis=-1), rtol=1e-5)
        np.testing.assert_array_equal(found["offsets"], data.offsets)
    else:
        np.testing.assert_allclose(found["T"].reshape(6, 3, -1), np.stack(right), rtol=1e-5)
    few = predict_arrays(surrogate, arrays, steps=1)
    np.testing.assert_allclose(
        few["T"], found["T"][..., :1, :] if kind == "ragged" else found["T"][:, :1], rtol=1e-6
    )


@pytest.mark.parametrize("sizes", [(7,) * 5, (7, 9, 7, 8, 6)], ids=["", "ragged"])
def test_files_with_groups_have_outputs_and_masks_of_the_names_of_inputs(sizes, tmp_path):
    data = flow(sizes, times=4)
    dataset_file.write(tmp_path / "flow.h5", data)
    found = predict_arrays(ruled(data, 1), read_arrays(tmp_path / "flow.h5", ("outputs", "masks")))
    right = [by_hand(data, i, 1, 3) for i in range(5)]
    for channel, name in enumerate(("pressure", "velocity")):
        values = [u[..., channel] for u in right]
        joined = np.concatenate(values, axis=-1) if data.ragged else np.stack(values)
        np.testing.assert_allclose(found[name], joined, rtol=1e-5, atol=1e-6)


def test_first_frames_that_are_missing_or_called_as_an_input_are_named():
    surrogate = ruled(heat(6, frames=4, side=4), 1)
    with pytest.raises(DataError, match=r"new: unknown field 'T'"):
        predict_arrays(surrogate, {"conductivity": np.array(1.0)}, where="new")
    arrays = {"conductivity": np.array(1.0), "T": np.full((0, 4, 4), 20.0)}
    with pytest.raises(DataError, match=r"new: heat: 0 first frames, the model needs 1"):
        predict_arrays(surrogate, arrays, where="new")
    names = ("roughness", "pressure", "velocity", "speed", "angle")
    with pytest.raises(DataError, match="'pressure' is an output and an input or a mask"):
        predict_arrays(ruled(flow(times=4), 1), {name: np.zeros(7) for name in names})
