"""Questions outside of what was trained on are answered with a warning and numbers."""

import json
import warnings

import numpy as np
import pytest
import torch

import llt
from llt.checkpoint import read_tensors, write_tensors
from llt.cli import main
from llt.data.dataset import Dataset
from llt.errors import RangeWarning
from llt.models import build_model
from llt.prediction.ranges import Range, Ranges
from llt.surrogate import Surrogate
from tests.data.kinds import KINDS

S, H, W = 6, 5, 4
rng = np.random.default_rng(0)
X = np.stack(np.meshgrid(np.linspace(0, 1, W), np.linspace(0, 2, H)), axis=-1)  # (H, W, 2)
A = rng.uniform(3, 12, (S, H, W))
A[:, 0, 0], A[:, 0, 1] = 3, 12
SPLITS = {"train": range(S - 2), "val": [S - 2], "test": [S - 1]}


def fitted(points=X, shape=(H, W), **more):
    outputs = {"u": rng.random((S, *([2] if "times" in more else []), *shape))}
    data = Dataset.from_arrays(
        "plate",
        points=points,
        inputs={"load": A.reshape(S, *shape)},
        outputs=outputs,
        parameters={"angle": np.linspace(0, 1, S)},
        splits={"train": [0, 1, 2, S - 1], "val": [3], "test": [4]},
        **more,
    )
    torch.manual_seed(0)
    return Surrogate.fit(build_model("llt", data.problem, dim=8, num_layers=1, heads=2), data)


@pytest.fixture(scope="module")
def surrogate():
    return fitted()


@pytest.fixture(scope="module")
def point_set():
    """Whose points differ from sample to sample."""
    return fitted(X.reshape(-1, 2) + 0.001 * rng.random((S, H * W, 2)), (H * W,))


def told(surrogate, x, load, angle=0.5, t=None):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        surrogate.predict(x, {"load": load, "angle": angle}, t)
    assert len(caught) <= 1 and all(w.category is RangeWarning for w in caught)
    assert all(w.filename == __file__ for w in caught)
    return str(caught[0].message) if caught else ""


FINE = np.stack(np.meshgrid(np.linspace(0, 1, 9), np.linspace(0, 2, 7)), axis=-1)
INSIDE = {
    "a training sample": (X, A[0], 0.5),
    "many": (X, A, np.linspace(0, 1, S)),
    "another resolution": (FINE, np.full((7, 9), 4.0), 0.5),
    "cell centers": (0.9 * X + 0.05, A[0], 0.5),
    "a little outside": (X * 1.05, A[0] * 1.05, 1.05),
}


@pytest.mark.parametrize("case", INSIDE)
def test_what_was_trained_on_is_answered_in_silence(surrogate, case):
    assert told(surrogate, *INSIDE[case]) == ""


OUTSIDE = {
    "field": (
        X,
        A[0] * 1000,
        0.5,
        "load 3,000 to 12,000 is 1,000 times larger than trained on (3 to 12)",
    ),
    "small field": (X, A[0] / 1000, 0.5, "is 1,000 times smaller than trained on (3 to 12)"),
    "negative": (X, -A[0], 0.5, "load -12 to -3 (trained on 3 to 12)"),
    "one case of many": (X, A * np.array([1, 1, 1, 2, 1, 1])[:, None, None], 0.5, "load 3 to 2"),
    "domain": (X * 2, A[0], 0.5, "x 0 to 2 (trained on 0 to 1); y 0 to 4 (trained on 0 to 2)"),
    "millimeters": (
        X * 1000,
        A[0],
        0.5,
        "x 0 to 1,000 is 1,000 times larger than trained on (0 to",
    ),
    "kilometers": (X / 1000, A[0], 0.5, "x 0 to 0.001 is 1,000 times smaller than trained on (0 "),
    "swapped": (X[..., ::-1], A[0], 0.5, "trained on: x and y look swapped: "),
    "upside down": (X[::-1], A[0], 0.5, "the corners of the grid are not those of the training"),
    "parameter": (X, A[0], 3.0, "angle 3 (trained on 0 to 1)"),
    "parameters": (X, A[0], [0.5, -40.0], "angle -40 to 0.5 is 40 times larger than trained on"),
}


@pytest.mark.parametrize("case", OUTSIDE)
def test_what_lies_outside_is_told_with_numbers(surrogate, case):
    *asked, message = OUTSIDE[case]
    line = told(surrogate, *asked)
    assert line.startswith("plate: outside of what was trained on: ")
    assert message in line and "\n" not in line


def test_swapped_axes_of_point_sets(point_set):
    x = X.reshape(-1, 2)
    load = A[0].reshape(-1)
    assert told(point_set, x, load) == ""
    assert ": x and y look swapped: x 0 to 2, y 0 to 1, trained on x 6" in told(
        point_set, x[:, ::-1], load
    )


def test_times_have_a_range():
    surrogate = fitted(times=[0.0, 1.9])
    assert told(surrogate, X, A[0], t=1.0) == told(surrogate, X, A[0], t=[0, 1.9]) == ""
    assert "time 99 is 52.1 times larger than trained on (0 to 1.9)" in told(
        surrogate, X, A[0], t=99
    )
    assert "time 0 to 3 (trained on 0 to 1.9)" in told(surrogate, X, A[0], t=[0, 3])
    # no margin: what comes after the last time is not between what was seen
    assert "time 1.91 (trained on 0 to 1.9)" in told(surrogate, X, A[0], t=1.91)
    assert "time -0.01 (trained on 0 to 1.9)" in told(surrogate, X, A[0], t=-0.01)


def test_the_trained_times_are_kept_with_the_weights(tmp_path):
    surrogate = fitted(times=[0.0, 1.9])
    assert surrogate.times == (0.0, 1.9)
    surrogate.save(tmp_path / "kept")
    assert llt.load(tmp_path / "kept").times == (0.0, 1.9)
    before = surrogate.ranges.to_dict()
    del before["moments"]  # as written by older versions
    assert Ranges.from_dict(before).moments == ()
    assert fitted().times == ()


def test_a_field_that_never_changed(surrogate):
    constant = Ranges(points=surrogate.ranges.points, inputs=(Range(5, 5, 5), Range(0, 1)))
    changed = Surrogate(surrogate.model, surrogate.normalizer, ranges=constant)
    assert told(changed, X, np.full((H, W), 5.0)) == ""
    assert "load 6 (trained on 5)" in told(changed, X, np.full((H, W), 6.0))


def test_nothing_is_said_where_it_is_not_asked_for(surrogate):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        surrogate.predict(X * 9, {"load": A[0], "angle": 0}, check=False)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data_has_ranges_that_survive_json(kind):
    data = KINDS[kind]()
    ranges = Ranges.fit(data)
    assert Ranges.from_dict(json.loads(json.dumps(ranges.to_dict()))) == ranges
    train = [data.sample(i) for i in data.split("train")]
    for axis, known in enumerate(ranges.points):
        values = [sample.points[:, axis] for sample in train]
        assert known.low == min(v.min() for v in values)
        assert known.high == max(v.max() for v in values)
        assert known.least == min(v.max() - v.min() for v in values)
    for channel, known in enumerate(ranges.inputs):
        values = [sample.given[..., channel] for sample in train]
        assert known.low == min(v.min() for v in values)
        assert known.high == max(v.max() for v in values)
        if channel < len(data.problem.inputs):
            assert known.least == min(np.abs(v).max() for v in values)


def test_ranges_are_in_the_checkpoint_and_older_ones_have_none(tmp_path, surrogate):
    surrogate.save(tmp_path / "saved")
    assert llt.load(tmp_path / "saved").ranges == surrogate.ranges
    config = json.loads((tmp_path / "saved/config.json").read_text())
    del config["ranges"], config["checksum"]  # of newer files
    (tmp_path / "saved/config.json").write_text(json.dumps(config))
    weights = tmp_path / "saved/model.safetensors"
    write_tensors(weights, read_tensors(weights)[0], {})  # older ones do not know their config
    older = llt.load(tmp_path / "saved")
    assert older.ranges is None and told(older, X * 9, A[0]) == ""


def test_the_command_warns_in_one_line(tmp_path, surrogate, point_set, capsys):
    surrogate.save(tmp_path / "grid")
    point_set.save(tmp_path / "points")
    np.savez(tmp_path / "grid.npz", load=A[0] * 1000, angle=0.5)
    x, load = X.reshape(-1, 2), A[0].reshape(-1)
    np.savez(
        tmp_path / "points.npz",
        points=np.concatenate([x[:, ::-1], x[1:], x[:, ::-1]]),
        load=np.concatenate([load, load[1:], load]),
        offsets=np.cumsum([0, 20, 19, 20]),
        angle=0.5,
    )
    lines = []
    for name in ("grid", "points"):
        words = ["predict", str(tmp_path / name), str(tmp_path / f"{name}.npz"), "-o"]
        assert main([*words, str(tmp_path / f"{name}-out.npz"), "--device", "cpu"]) == 0
        output = capsys.readouterr()
        assert output.out == ""
        lines.append(output.err.splitlines())
    assert lines[0][0].startswith("warning: plate: outside of what was trained on: load 3,000 to")
    assert "x and y look swapped: " in lines[1][0]
    assert lines[1][0].endswith("(the first of 2 such cases)")
    assert [len(part) for part in lines] == [2, 2]
