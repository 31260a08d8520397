"""`llt bench prediction`: chunks against the whole, on point sets and grids."""

import numpy as np
import pytest
import torch

from llt.bench import prediction
from llt.bench.record import read_record
from llt.cli import main
from llt.data import neighbors
from llt.data.cells import cell_graph

X = np.random.default_rng(0).random((400, 3), np.float32)
RADIUS, MOST = 0.25, 16


def test_chunks_agree_with_the_whole(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(prediction, "STREAM_ABOVE", 200)
    small = prediction.find_preset

    def preset(name):
        from dataclasses import replace

        return replace(small(name), model={"dim": 8, "num_layers": 1, "heads": 2})

    monkeypatch.setattr(prediction, "find_preset", preset)
    out = tmp_path / "prediction/record.json"
    sizes = ["--points", "150,300", "--grids", "144", "--chunk", "50", "--cases", ""]
    assert main(["bench", "prediction", *sizes, "--device", "cpu", "--out", str(out)]) == 0
    record = read_record(out)
    points, many, grid = record.results.values()
    assert [row["num_points"] for row in (points, many, grid)] == [150, 300, 144]
    assert points["neighbors_s"] > 0
    assert "scipy_neighbors_s" not in points  # it is what has been timed
    assert grid["neighbors_s"] is None
    for row in (points, grid):
        assert 0 < row["difference"] < 1e-5  # not the same computation, but the same numbers
        assert row["at_once_s"] > 0
    assert "at_once_s" not in many  # where predict itself would take chunks
    assert record.settings == {"chunk": 50}
    assert capsys.readouterr().out.count("car: num_points") == 2


def test_other_neighbors_than_those_of_scipy_are_counted():
    graph = cell_graph(torch.from_numpy(X), RADIUS, MOST)
    row = prediction.beside_scipy(graph.flip(1), X, RADIUS, MOST)
    assert row.pop("scipy_neighbors_s") > 0
    assert row == {"neighbors_equal": True, "neighbors_differing": 0}
    graph[7, 1], graph[9, 1:] = 7, -1
    row = prediction.beside_scipy(graph, X, RADIUS, MOST)
    assert not row["neighbors_equal"] and row["neighbors_differing"] == 2
    narrow = cell_graph(torch.from_numpy(X), RADIUS, 2)
    assert prediction.beside_scipy(narrow, X, RADIUS, MOST)["neighbors_differing"] > 300


def test_scipy_has_one_core(monkeypatch):
    asked = []

    class Tree(neighbors.cKDTree):
        def query(self, *given, workers, **settings):
            asked.append(workers)
            return super().query(*given, workers=workers, **settings)

    monkeypatch.setattr(neighbors, "cKDTree", Tree)
    prediction.beside_scipy(torch.zeros(400, 1, dtype=torch.int32), X, RADIUS, MOST)
    assert asked == [1]


def test_scipy_searches_what_a_gpu_has_searched(monkeypatch):
    """Up to a size: it takes its time."""
    surrogate = prediction._random_surrogate(prediction.CAR, len(X))
    cells = lambda surrogate, x: cell_graph(torch.from_numpy(x), surrogate.radius, 32)  # noqa: E731
    monkeypatch.setattr(prediction, "large_graph", cells)
    assert prediction._search(surrogate, X)["neighbors_equal"] is True
    monkeypatch.setattr(prediction, "SEARCHED", len(X) - 1)
    assert prediction._search(surrogate, X).keys() == {"neighbors_s"}


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_gpu_finds_the_neighbors_that_scipy_finds():
    row = prediction.measure_prediction("car", 3000, 0, torch.device("cuda"))
    assert row["neighbors_equal"] is True and row["scipy_neighbors_s"] > 0
