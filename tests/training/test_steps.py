"""Next-frame training: it learns, beats "nothing changes", resumes bitwise; what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import llt
from llt.data import dataset_file
from llt.errors import ConfigError
from llt.training import resume, train
from llt.training.config import TrainConfig
from llt.training.loop import Interrupted
from llt.training.setup import prepare
from llt.training.validation import sample_errors
from tests.conftest import darcy_like
from tests.heat import heat
from tests.training.test_run import assert_same, stop_after, untimed_metrics

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}
CONFIG = TrainConfig(epochs=2, batch_size=3, lr=3e-3, history=1, noise=0.1)
SMALL = {"model.dim": 32, "model.num_layers": 2, "model.heads": 4}


def errors(surrogate, data):
    """Of rollouts over all frames of the test cases, and of no change at all: means of both."""
    h = surrogate.frames.history
    found = []
    for index in data.split("test"):
        sample = data.sample(index)
        numbers = dict(zip(data.problem.parameter_names, sample.parameters, strict=True))
        given = {"first": sample.outputs[:h], "parameters": numbers}
        truth = sample.outputs[h:]
        u = surrogate.rollout(sample.points, **given, check=False)
        pair = u - truth, sample.outputs[h - 1] - truth
        found.append([np.linalg.norm(z) / np.linalg.norm(truth - 20) for z in pair])
    return np.mean(found, axis=0)


KINDS = {
    "grid": (lambda: heat(24, frames=6, side=8, end=0.05), {"train.steps": 700}),
    "grid, two frames back": (
        lambda: heat(24, frames=6, side=8, end=0.05),
        {"train.steps": 700, "train.history": 2},
    ),
    "points, uneven steps": (
        lambda: heat(100, frames=5, points=60, end=0.05, power=1.5, modes=3),
        {"train.steps": 1200},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rollouts_beat_no_change_by_far(kind, tmp_path):
    make, settings = KINDS[kind]
    data = make()
    run = llt.train(data, tmp_path / "run", settings={"train.history": 1, **SMALL, **settings})
    rollout, unchanged = errors(llt.load(run), data)
    assert rollout < 0.25 * unchanged and rollout < 0.2


@pytest.mark.parametrize("place", ["device", "host", "file"])
@pytest.mark.parametrize("kind", ["grid", "ragged"])
def test_an_interrupted_run_resumes_bitwise(kind, place, tmp_path):
    data = heat(8, frames=4, side=5, points=9 * (kind == "ragged"), own_points=kind == "ragged")
    dataset_file.write(tmp_path / "set.h5", data)
    options = {"model_settings": MODEL, "config": replace(CONFIG, data=place)}
    whole = train(tmp_path / "set.h5", tmp_path / "whole", **options)
    with pytest.raises(Interrupted):
        train(tmp_path / "set.h5", tmp_path / "broken", listener=stop_after(5), **options)
    broken = resume(tmp_path / "broken")
    assert_same(whole, broken)
    assert untimed_metrics(whole) == untimed_metrics(broken)
    near = {"model_settings": MODEL, "config": replace(CONFIG, data="device")}
    assert_same(whole, train(tmp_path / "set.h5", tmp_path / "near", **near))


def test_noise_is_part_of_the_training(tmp_path):
    data = heat(8, frames=4, side=5)
    runs = [
        train(
            data, tmp_path / str(noise), model_settings=MODEL, config=replace(CONFIG, noise=noise)
        )
        for noise in (0.0, 0.1)
    ]
    with pytest.raises(AssertionError):
        assert_same(*runs)


def prepared(data, **settings):
    config = replace(CONFIG, **settings)
    cpu = torch.device("cpu")
    return prepare(data, model="llt", model_settings=MODEL, config=config, device=cpu)


def test_before_training_nothing_changes():
    setup = prepared(heat(8, frames=4, points=9))
    surrogate = setup.step.surrogate
    with surrogate.predicting_the_mean():
        found = sample_errors(surrogate, setup.val)
    torch.testing.assert_close(found.total, torch.ones_like(found.total))


@pytest.mark.parametrize("settings", [{"strides": (2, 1)}, {"points": 6, "parts": 2}], ids=str)
def test_parts_and_coarser_grids_are_steps_too(settings, tmp_path):
    data = heat(8, frames=4, side=9, points=14 * ("points" in settings))
    config = replace(CONFIG, **settings)
    run = train(data, tmp_path / "run", model_settings=MODEL, config=config)
    surrogate = llt.load(run)
    assert surrogate.problem.input_names == ("T[-1]",) and surrogate.cases.timed
    lines = (run / "metrics.jsonl").read_text().splitlines()
    assert np.isfinite(json.loads(lines[-1])["val_error"])


def test_batches_of_every_grid_are_steps():
    data = heat(8, frames=4, side=9)
    source = prepared(data, strides=(2, 1)).step.data
    first = data.sample(0).outputs.reshape(4, 9, 9)
    for stride in ((2, 2), (1, 1)):
        batch = source.batch(torch.arange(3), stride)
        u = first[:, :: stride[0], :: stride[1]].reshape(4, -1)
        np.testing.assert_array_equal(batch.a[..., 0], u[:-1])
        np.testing.assert_array_equal(batch.u[..., 0], np.diff(u, axis=0))


def test_symmetries_move_frames_as_fields(tmp_path):
    data = heat(8, frames=4, side=5)
    square = replace(data.problem, symmetries=darcy_like().problem.symmetries)
    data = replace(data, problem=square)
    run = train(data, tmp_path / "run", model_settings=MODEL, config=replace(CONFIG, augment=True))
    sample = data.sample(0)
    ask = {"first": sample.outputs[:1], "parameters": {"conductivity": 1.0}, "symmetrize": True}
    surrogate = llt.load(run)
    u = surrogate.rollout(None, **ask)[-1].reshape(5, 5)
    first = sample.outputs[:1].reshape(1, 5, 5, 1)[:, ::-1].reshape(1, 25, 1)
    flipped = surrogate.rollout(None, **ask | {"first": first})[-1].reshape(5, 5)
    np.testing.assert_allclose(flipped[::-1], u, rtol=1e-4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"history": 4}, r"train.history=4: heat has 4 frames, .* use 1 to 3"),
        ({"history": -1}, r"train.history=-1 must not be negative"),
        ({"noise": -0.1}, r"train.noise=-0.1 must not be negative"),
        ({"history": 0}, r"train.noise=0.1 is on frames before; set train.history"),
        ({"mean_field": True}, r"train.history=1 learns changes, which have no mean field"),
        ({"log": ("T",)}, r"train.log: the change of T from frame to frame has no logarithm"),
    ],
    ids=str,
)
def test_bad_settings_are_refused(settings, message, tmp_path):
    with pytest.raises(ConfigError, match=message):
        train(
            heat(8, frames=4, side=5),
            tmp_path / "run",
            model_settings=MODEL,
            config=replace(CONFIG, **settings),
        )
    assert not (tmp_path / "run").exists()


def test_data_without_frames_are_refused(darcy_file, tmp_path):
    with pytest.raises(ConfigError, match=r"train.history=1: darcy has no frames"):
        train(darcy_file, tmp_path / "run", model_settings=MODEL, config=CONFIG)
