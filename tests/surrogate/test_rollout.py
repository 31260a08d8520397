"""Rollouts against a loop written out; many cases as one by one; what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import llt
from llt.data.frames import Frames
from llt.data.steps import steps_of
from llt.errors import CheckpointError, ConfigError, DataError, SolverError
from llt.models import build_model
from llt.models.base import Operator
from llt.surrogate import Surrogate
from tests.conftest import darcy_like
from tests.data.kinds import flow, timed
from tests.heat import heat
from tests.prediction.fake import captures_on_the_cpu


class Rule(Operator):
    """Changes by half the last frame, a quarter of that before it, a tenth of what is given."""

    def __init__(self, frames: Frames) -> None:
        super().__init__()
        self.problem, self.frames, self.name, self.arguments = frames.problem, frames, "rule", {}

    def forward(self, x, a, *, t=None, grid=None, neighbors=None, mask=None):
        assert t is None
        channels, Cu = self.frames.last_channels, self.problem.out_channels
        u = a[..., channels].unflatten(-1, (self.frames.history, Cu))
        others = torch.cat((a[..., : channels.start], a[..., channels.stop :]), dim=-1)
        change = -0.5 * u[..., -1, :] + 0.1 * others.sum(-1, keepdim=True)
        return change + 0.25 * u[..., -2, :] if self.frames.history > 1 else change


def ruled(data, history) -> Surrogate:
    frames = Frames.of(data, history)
    surrogate = Surrogate.fit(Rule(frames), steps_of(data, frames))
    encode = surrogate.normalizer
    for scale in (encode.a_std, encode.u_std):
        scale.fill_(1.0)
    for shift in (encode.a_mean, encode.u_mean):
        shift.zero_()
    return surrogate


def by_hand(data, index, history, steps):
    """The same, written out: (steps, N, Cu)."""
    sample = data.sample(index)
    masks = [sample.masks[f.mask] if f.mask else 1 for f in data.problem.outputs]
    exists = np.stack(np.broadcast_arrays(*masks, np.ones(len(sample.points)))[:-1], axis=-1)
    u = [frame * exists for frame in sample.outputs[:history]]
    uneven = np.ptp(np.diff(data.times)) > 1e-3
    for k in range(history, history + steps):
        given = (sample.inputs[k] if sample.inputs.ndim == 3 else sample.inputs).sum(-1)
        given = given + sample.parameters.sum()
        if uneven:
            given = given + data.times[k] - data.times[k - 1]
        change = -0.5 * u[-1] + 0.1 * given[:, None]
        if history > 1:
            change = change + 0.25 * u[-2]
        u.append(u[-1] + change * exists)
    return np.stack(u[history:])


def asked(data, index, history):
    """Points, inputs by name and first frames of a sample."""
    sample, problem = data.sample(index), data.problem
    a = dict(zip(problem.input_names, np.moveaxis(sample.inputs, -1, 0), strict=True))
    first = dict(zip(problem.output_names, np.moveaxis(sample.outputs, -1, 0), strict=True))
    rest = {"parameters": dict(zip(problem.parameter_names, sample.parameters, strict=True))}
    if problem.mask_names:
        rest["masks"] = sample.masks
    return sample.points, a, {name: u[:history] for name, u in first.items()}, rest


@pytest.mark.parametrize("history", [1, 2])
@pytest.mark.parametrize("kind", ["grid", "masks", "uneven"])
def test_a_rollout_is_the_steps_one_after_the_other(kind, history):
    data = timed() if kind == "grid" else flow((7, 9, 7, 8, 6), times=5)
    if kind == "uneven":
        data = replace(data, times=np.array([0, 1, 2.5, 3, 4.0]))
    x, a, first, rest = asked(data, 1, history)
    found = ruled(data, history).rollout(x, a, first, 3, **rest, check=False)
    right = by_hand(data, 1, history, 3)
    for channel, name in enumerate(data.problem.output_names):
        np.testing.assert_allclose(found[name], right[..., channel], rtol=1e-5, atol=1e-6)


def test_inputs_may_change_from_step_to_step():
    data = flow(times=5, timed_inputs=True)
    x, a, first, rest = asked(data, 2, 1)
    each = [{name: values[k] for name, values in a.items()} for k in range(1, 5)]
    surrogate = ruled(data, 1)
    found = surrogate.rollout(x, each, first, 4, **rest, check=False)
    np.testing.assert_allclose(
        found["velocity"], by_hand(data, 2, 1, 4)[..., 1], rtol=1e-5, atol=1e-6
    )
    with pytest.raises(DataError, match="flow: inputs of 4 steps, 3 are asked for"):
        surrogate.rollout(x, each, first, 3, **rest, check=False)


def test_arrays_give_arrays_and_the_last_of_more_frames_count():
    data = timed()
    surrogate, sample = ruled(data, 2), data.sample(0)
    u = surrogate.rollout(None, sample.inputs, sample.outputs[:2], 9, check=False)
    assert u.shape == (9, 12, 4)  # also longer than what was trained on
    again = surrogate.rollout(
        None, sample.inputs, np.concatenate([sample.outputs[:2], u[:4]]), 5, check=False
    )
    np.testing.assert_allclose(again, u[4:], rtol=1e-5)
    # on the grid, and as many steps as were trained on
    shaped = surrogate.rollout(
        None, sample.inputs.reshape(4, 3, 1), sample.outputs[:2].reshape(2, 4, 3, 4), check=False
    )
    np.testing.assert_allclose(shaped, u[:4].reshape(4, 4, 3, 4), rtol=1e-6)


def trained_on(data, history=1, **settings) -> Surrogate:
    frames = Frames.of(data, history)
    steps = steps_of(data, frames)
    torch.manual_seed(0)
    model = build_model("llt", steps.problem, dim=8, num_layers=1, heads=2, **settings)
    return Surrogate.fit(model, steps)


@pytest.mark.parametrize("kind", ["grid", "shared points", "own points"])
def test_many_cases_are_the_same_as_one_by_one(kind):
    data = heat(8, frames=4, side=5, points=0 if kind == "grid" else 14)
    surrogate = trained_on(data)
    first = np.stack([data.sample(i).outputs[:1] for i in range(3)])  # (B, h, N, Cu)
    x = data.mesh if kind != "own points" else np.random.default_rng(0).random((3, 14, 2))
    numbers = {"conductivity": data.parameters[:3, 0]}
    how = {"steps": 3, "check": False}
    together = surrogate.rollout(x, None, first, parameters=numbers, **how)
    for i in range(3):
        one = {"conductivity": data.parameters[i, 0]}
        alone = surrogate.rollout(x if x.ndim == 2 else x[i], None, first[i], parameters=one, **how)
        np.testing.assert_allclose(together[i], alone, rtol=1e-5)
    spread = np.abs(together[:, -1] - first[:, 0]).max()
    assert spread > 1e-3  # something happens


def test_chunks_and_captured_graphs_change_nothing(monkeypatch):
    data = heat(8, frames=4, points=40)
    surrogate = trained_on(data)
    sample = data.sample(0)
    ask = {"first": sample.outputs[:1], "parameters": {"conductivity": 1.0}, "check": False}
    whole = surrogate.rollout(sample.points, **ask)
    np.testing.assert_allclose(surrogate.rollout(sample.points, **ask, chunk=7), whole, rtol=1e-5)
    graphs = captures_on_the_cpu(monkeypatch)
    surrogate.to("cpu")
    np.testing.assert_allclose(surrogate.rollout(sample.points, **ask), whole, rtol=1e-5)
    assert len(graphs) <= 1  # one serves all steps


def test_frames_are_part_of_the_checkpoint(tmp_path):
    data = heat(8, frames=4, points=12)
    surrogate = trained_on(data, history=2)
    surrogate.save(tmp_path / "saved")
    loaded = llt.load(tmp_path / "saved")
    assert loaded.frames == surrogate.frames and loaded.cases == data.problem
    ask = {"first": data.sample(0).outputs[:2], "parameters": {"conductivity": 1.0}}
    np.testing.assert_array_equal(
        loaded.rollout(data.mesh, **ask), surrogate.rollout(data.mesh, **ask)
    )
    path = tmp_path / "saved" / "config.json"
    config = json.loads(path.read_text())
    config["frames"]["history"] = 1
    config.pop("checksum", None)
    path.write_text(json.dumps(config))
    with pytest.raises(CheckpointError):
        llt.load(tmp_path / "saved")


def bad_questions():
    data = flow(times=4)
    x, a, first, rest = asked(data, 0, 2)
    nan = {**first, "velocity": np.where(np.arange(7) == 3, np.nan, first["velocity"])}
    few = {name: u[:1] for name, u in first.items()}
    lonely = {"pressure": first["pressure"]}
    return {
        "too few frames": ((x, a, few), rest, r"flow: 1 first frames, the model needs 2"),
        "no frames": ((x, a), rest, r"flow: first frames are missing; give pressure, velocity"),
        "a field is missing": ((x, a, lonely), rest, r"flow: first: no 'velocity'; give"),
        "NaN": ((x, a, nan), rest, r"first frame 0 of 'velocity' holds NaN or infinity in case 0"),
        "other points": (
            (x, a, {name: u[:, :5] for name, u in first.items()}),
            rest,
            r"first frames have shape \(2, 5, 2\), expected \(frames, 7, 2\)",
        ),
        "no cases": (
            (x, a, {name: u[None][:0] for name, u in first.items()}),
            rest,
            r"first frames have shape \(0, 2, 7, 2\), expected",
        ),
        "other cases": (
            (
                np.stack([x] * 3),
                {n: np.stack([z] * 3) for n, z in a.items()},
                np.ones((2, 2, 7, 2)),
            ),
            rest,
            r"first frames have shape \(2, 2, 7, 2\), expected \(3, frames, 7, 2\)",
        ),
        "masks": ((x, a, first), rest | {"masks": None}, r"exist on 'surface' only; pass masks"),
        "no steps": ((x, a, first, 0), rest, r"flow: steps=0 must be at least 1"),
        "dt": (
            (x, a, first),
            rest | {"dt": 0.1},
            r"dt=0.1, the model was trained on steps of 0.66",
        ),
    }


@pytest.mark.parametrize("what", bad_questions())
def test_what_cannot_be_rolled_out_is_refused(what):
    question, rest, message = bad_questions()[what]
    with pytest.raises((DataError, ConfigError), match=message):
        ruled(flow(times=4), 2).rollout(*question, **rest, check=False)


def test_a_model_of_steps_is_not_asked_to_predict_and_others_do_not_roll_out(tmp_path):
    surrogate = ruled(timed(), 1)
    for ask in (surrogate.predict, surrogate.torch):
        with pytest.raises(ConfigError, match="predicts the next frame from 1 before it; use roll"):
            ask(None, timed().sample(0).inputs)
    data = darcy_like()
    steady = Surrogate.fit(build_model("llt", data.problem, dim=8, num_layers=1, heads=2), data)
    with pytest.raises(ConfigError, match=r"has not learned steps .* use predict"):
        steady.rollout(None, data.sample(0).inputs, data.sample(0).outputs[None])


def test_a_rollout_that_diverges_says_so():
    surrogate = ruled(timed(), 1)
    surrogate.normalizer.u_std.fill_(-1e20)
    sample = timed().sample(0)
    with pytest.raises(SolverError, match=r"diverges at step 2 of 5; .*train.noise"):
        surrogate.rollout(None, sample.inputs, sample.outputs[:1], check=False)


def test_first_frames_outside_of_what_was_trained_on_are_told():
    data = heat(8, frames=4, points=12)
    ask = {"first": 10 * data.sample(0).outputs[:1], "parameters": {"conductivity": 1.0}}
    with pytest.warns(llt.errors.RangeWarning, match=r"T\[-1\]"):
        trained_on(data).rollout(data.mesh, **ask)
