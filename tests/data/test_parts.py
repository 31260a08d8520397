"""Large point sets in parts: what they are, that whole cases are asked alike, and what it takes."""

import json

import numpy as np
import pytest
import torch

import llt
from llt.cli import main
from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.neighbors import radius_graph
from llt.data.parts import cut
from llt.errors import ConfigError
from llt.training.validation import sample_errors
from tests.conftest import darcy_like
from tests.data.kinds import timed


def clouds(sizes=(90, 200, 30, 120, 100, 100), times=None) -> Dataset:
    rng = np.random.default_rng(0)
    points = [rng.random((n, 2)) for n in sizes]
    moments = [None] if times is None else times
    outputs = [np.stack([p[:, 0] * (1 + (t or 0)) for t in moments]) for p in points]
    return Dataset.from_arrays(
        "clouds",
        points=points,
        inputs={"load": [p[:, 1] for p in points]},
        outputs={"u": [u if times is not None else u[0] for u in outputs]},
        parameters={"m": np.arange(float(len(sizes)))},
        times=times,
        splits={"train": [0, 1, 2], "val": [3, 4], "test": [5]},
    )


@pytest.mark.parametrize("times", [None, np.array([0.0, 1.0])])
def test_parts_are_points_of_their_case_and_share_none(times):
    data = clouds(times=times)
    found = cut(data, 40, parts=3, seed=1)
    sizes = [len(found.sample(i).points) for i in range(len(found))]
    assert sizes == [40, 40, 40, 40, 40, 30, 40, 40]  # 90 has two parts, 200 three, 30 is whole
    assert found.split("train").tolist() == [0, 1, 2, 3, 4, 5] and len(found.splits["val"]) == 2
    whole = data.sample(1)
    seen = set()
    for part in map(found.sample, (2, 3, 4)):
        for row, point in enumerate(part.points):
            (at,) = np.flatnonzero((whole.points == point).all(axis=1))
            assert np.array_equal(part.outputs[..., row, :], whole.outputs[..., at, :])
            assert np.array_equal(part.inputs[..., row, :], whole.inputs[..., at, :])
            seen.add(at)
        assert part.parameters == whole.parameters
    assert len(seen) == 120
    assert found.hash == data.hash
    again = cut(data, 40, parts=3, seed=1)
    assert np.array_equal(again.points, found.points)


def test_grids_are_not_cut():
    with pytest.raises(ConfigError, match=r"train.points=40 is for point sets; use train.strides"):
        cut(darcy_like(), 40)


def test_neighbors_are_among_so_many_points():
    points = np.random.default_rng(0).random((500, 2))
    graph = radius_graph(points, 2.0, 9, among=60)
    assert np.array_equal(graph[:, 0], np.arange(500))  # a point is its own first neighbor
    drawn = np.unique(graph[:, 1:])
    assert len(drawn) == 60
    # of points that were drawn, it is the graph of the drawn ones alone
    assert np.array_equal(graph[drawn], drawn[radius_graph(points[drawn], 2.0, 9)])
    others = np.setdiff1d(np.arange(500), drawn)
    between = np.linalg.norm(points[others, None] - points[drawn], axis=-1)
    assert np.array_equal(graph[others, 1:], drawn[between.argsort(axis=1)[:, :8]])
    distance = np.linalg.norm(points[graph[:, 1:]] - points[:, None], axis=-1)
    assert (np.diff(distance, axis=1) >= 0).all() and (distance <= 2).all()
    spacing = np.median(distance[:, 0])
    everywhere = radius_graph(points, 2.0, 9)
    nearest = np.linalg.norm(points[everywhere[:, 1]] - points, axis=-1)
    assert spacing > 1.5 * np.median(nearest)
    assert np.array_equal(radius_graph(points, 2.0, 9, among=500), everywhere)
    far = radius_graph(points, 1e-9, 9, among=60)
    assert (far[:, 1:] == -1).all() and np.array_equal(far[:, 0], np.arange(500))


def test_no_point_is_its_own_neighbor_twice_among_duplicates():
    points = np.repeat(np.random.default_rng(0).random((40, 2)), 3, axis=0)
    graph = radius_graph(points, 0.3, 9, among=80)
    assert np.array_equal(graph[:, 0], np.arange(120))
    assert all(len(set(row[row >= 0])) == (row >= 0).sum() for row in graph)


def test_where_few_are_drawn_a_point_has_all_of_them_beside_itself():
    graph = radius_graph(np.random.default_rng(0).random((40, 2)), 5.0, 9, among=5)
    drawn = np.unique(graph[:, 1:])[1:]  # after -1
    assert len(drawn) == 5
    assert all(set(row) == {point, *drawn, -1} for point, row in enumerate(graph))


def test_a_training_on_parts_predicts_whole_cases(tmp_path):
    path = clouds().save(tmp_path / "clouds.h5")
    settings = {"model.dim": 8, "model.num_layers": 1, "model.heads": 2, "train.derivative": 0.0}
    settings |= {"train.points": 40, "train.parts": 2, "train.batch_size": 1}
    run = llt.train(path, tmp_path / "run", epochs=3, settings=settings, device="cpu")
    surrogate, data = llt.load(run), llt.open(path)
    assert surrogate.points == 40
    record = json.loads((run / "data.json").read_text())
    assert record["splits"] == {"train": 3, "val": 2, "test": 1} and record["hash"] == data.hash
    sample = data.sample(5)
    u = surrogate.predict(sample.points, sample.given)
    assert u.shape == (100, 1)
    assert surrogate.graph(sample.points).shape[0] == 100
    assert len(np.unique(surrogate.graph(sample.points)[:, 1:])) <= 41  # and -1
    errors = llt.evaluate(run, device="cpu")
    expected = np.linalg.norm(u - sample.outputs) / np.linalg.norm(sample.outputs)
    assert errors.per_sample == [pytest.approx(expected, rel=1e-3)]


def test_a_mesh_that_all_cases_share_is_remembered_whole(tmp_path):
    rng = np.random.default_rng(0)
    x, m = rng.random((100, 3)), rng.random(5)
    outputs = {"u": m[:, None] * x[:, 0], "v": 1e5 * m[:, None] * x[:, 1]}
    data = Dataset.from_arrays("own", points=x, outputs=outputs, parameters={"m": m})
    settings = {"model.dim": 8, "model.num_layers": 1, "train.points": 40}
    run = llt.train(data, tmp_path / "run", epochs=1, settings=settings, device="cpu")
    surrogate = llt.load(run)
    found = surrogate.predict(parameters={"m": 0.5}, check=False)
    assert found["u"].shape == (100,)
    expected = surrogate.predict(x, {}, parameters={"m": 0.5}, check=False)
    assert np.array_equal(found["u"], expected["u"])


def test_a_resumed_run_has_the_same_parts(tmp_path):
    from safetensors.torch import load_file

    from llt.training import resume, train
    from llt.training.config import TrainConfig
    from llt.training.loop import Interrupted
    from tests.training.test_run import stop_after

    path = clouds().save(tmp_path / "clouds.h5")
    config = TrainConfig(epochs=2, batch_size=1, points=40, parts=2, samples=2, data="file")
    options = {"model_settings": {"dim": 8, "num_layers": 1, "heads": 2}, "config": config}
    train(path, tmp_path / "whole", **options)
    with pytest.raises(Interrupted):
        train(path, tmp_path / "run", listener=stop_after(2), **options)
    resume(tmp_path / "run")
    first, second = (load_file(tmp_path / n / "last/model.safetensors") for n in ("whole", "run"))
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("make", [clouds, timed])
def test_large_cases_are_validated_in_chunks(make, monkeypatch):
    from llt.models import build_model
    from llt.surrogate import Surrogate

    data = make()
    torch.manual_seed(0)
    network = build_model("llt", data.problem, dim=8, num_layers=1, heads=2)
    surrogate = Surrogate.fit(network, data)
    source = surrogate.source(data, data.split("train"))
    whole = sample_errors(surrogate, source)
    monkeypatch.setattr("llt.training.validation.MOST_POINTS", {"cpu": 10})
    asked = []
    answer = surrogate.predict_chunks
    surrogate.predict_chunks = lambda *a, **k: asked.append(a) or answer(*a, **k)
    assert torch.allclose(sample_errors(surrogate, source).fields, whole.fields, rtol=1e-4)
    assert len(asked) == source.num_items


def test_the_command_cuts_large_cases_by_itself(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("llt.fitting.POINTS", {"cpu": 50})
    path = tmp_path / "clouds.h5"
    dataset_file.write(path, clouds())
    words = ["train", str(path), "--device", "cpu", "--set", "train.epochs=1"]
    words += ["--set", "model.dim=8", "--set", "model.num_layers=1"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    err = capsys.readouterr().err
    assert "train.points=50 train.parts=4" in err
    assert "points = 50" in (tmp_path / "run/config.toml").read_text()
    assert main([*words, "--out", str(tmp_path / "all"), "--set", "train.points=0"]) == 0
    assert "points = 0" in (tmp_path / "all/config.toml").read_text()
