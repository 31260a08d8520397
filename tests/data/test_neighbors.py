from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from llt.data import dataset_file, neighbors
from llt.data.neighbors import median_spacing, radius_graph, radius_graphs, training_radius


def brute_force(points, radius, most):
    distance = np.linalg.norm(points[:, None] - points[None], axis=-1)
    rows = []
    for i, row in enumerate(distance):
        near = [j for j in np.argsort(row, kind="stable") if row[j] <= radius and j != i]
        rows.append({i, *near[: most - 1]})
    return rows


@pytest.mark.parametrize(("n", "d"), [(1, 2), (7, 2), (60, 2), (60, 3)])
def test_graph_equals_brute_force(n, d):
    points = np.random.default_rng(0).uniform(size=(n, d))
    graph = radius_graph(points, 0.35, 8)
    assert graph.shape == (n, 8)
    assert [set(row[row >= 0]) for row in graph] == brute_force(points, 0.35, 8)


@pytest.mark.parametrize("queries", [1, 7, 59, 100])
def test_graphs_built_in_parts_equal_one_query(monkeypatch, queries):
    """On a lattice, where many points are equally near and the tree's choice decides."""
    points = np.random.default_rng(0).permutation(np.argwhere(np.ones((5, 4, 3)))).astype(float)
    nearest, _ = cKDTree(points).query(points, k=8)
    distance, index = cKDTree(points).query(points, k=8, distance_upper_bound=1.4)
    np.testing.assert_array_equal(distance, np.where(nearest <= 1.4, nearest, np.inf))
    monkeypatch.setattr(neighbors, "QUERIES", queries)
    graph = radius_graph(points, 1.4, 8)
    np.testing.assert_array_equal(graph, np.where(distance <= 1.4, index, -1))


@pytest.mark.parametrize("among", [0, 40])
def test_the_search_ends_at_the_radius(monkeypatch, among):
    """Most of the time goes into looking for those that are too far to be kept."""
    reached = []

    class Tree(cKDTree):
        def query(self, *args, **kwargs):
            distance, index = super().query(*args, **kwargs)
            reached.append(distance[np.isfinite(distance)].max())
            return distance, index

    monkeypatch.setattr(neighbors, "cKDTree", Tree)
    radius_graph(np.random.default_rng(0).random((60, 2)), 0.2, 30, among)
    assert 0 < max(reached) <= 0.2 * (1 + 1e-6)


@pytest.mark.parametrize("scale", [1e-9, 0.1, 1.0, 1e6])
def test_points_at_exactly_the_radius_are_within_it(scale):
    points = scale * np.argwhere(np.ones((4, 4)))
    corner = radius_graph(points, scale, 8)[0]
    assert set(corner) == {0, 1, 4, -1}


def test_without_any_reach_only_duplicates_are_neighbors():
    graph = radius_graph(np.repeat(np.random.default_rng(0).random((5, 2)), 2, axis=0), 0.0, 4)
    np.testing.assert_array_equal(graph[:, :2], np.arange(10)[:, None] ^ [0, 1])
    assert (graph[:, 2:] == -1).all()


def test_a_point_is_its_own_first_neighbor_even_among_duplicates():
    points = np.zeros((6, 2))
    graph = radius_graph(points, 1.0, 3)
    assert (graph[:, 0] == np.arange(6)).all()
    assert all(len(set(row)) == 3 for row in graph)


def test_those_before_a_duplicate_keep_their_order():
    points = np.array([[0.0, 0], [0, 0], [0, 0], [1, 0], [3, 0], [3, 0]])
    graph = radius_graph(points, 2.5, 5)
    assert (graph[:, 0] == np.arange(6)).all()
    assert all(set(row) == {0, 1, 2, 3, -1} and row[3] == 3 for row in graph[:3])
    assert set(graph[3, 1:4]) == {0, 1, 2} and graph[3, 4] in (4, 5)
    np.testing.assert_array_equal(graph[4:], [[4, 5, 3, -1, -1], [5, 4, 3, -1, -1]])


def test_spacing_of_a_regular_grid():
    points = np.stack(np.meshgrid(np.arange(5) * 0.25, np.arange(5) * 0.25), -1).reshape(-1, 2)
    assert median_spacing(points) == pytest.approx(0.25)


def test_radius_follows_the_papers_rule(ragged_data):
    train = ragged_data.split("train")
    spacing = np.median([median_spacing(ragged_data.sample(i).points) for i in train])
    assert training_radius(ragged_data) == pytest.approx(2 * spacing)


def test_graphs_of_a_dataset_are_as_wide_as_needed(ragged_data):
    indices = np.array([0, 4])
    graphs = radius_graphs(ragged_data, indices, 0.2, 30)
    single = [radius_graph(ragged_data.sample(i).points, 0.2, 30) for i in indices]
    most = max((graph >= 0).sum(1).max() for graph in single)
    assert graphs.shape == (2, 32, most)
    assert most < 30
    for row, graph in zip(graphs, single, strict=True):
        np.testing.assert_array_equal(row[: len(graph)], graph[:, :most])
        assert (row[len(graph) :] == -1).all()


def test_graphs_are_built_once(ragged_data, monkeypatch):
    indices = np.arange(3)
    first = radius_graphs(ragged_data, indices, 0.2, 8)
    monkeypatch.setattr(neighbors, "_build", None)  # a second building would fail
    np.testing.assert_array_equal(radius_graphs(ragged_data, indices, 0.2, 8), first)


@pytest.mark.parametrize(
    "change", [{"radius": 0.3}, {"max_neighbors": 9}, {"indices": np.arange(4)}]
)
def test_other_questions_are_not_answered_from_the_cache(ragged_data, change):
    question = {"indices": np.arange(3), "radius": 0.2, "max_neighbors": 3}
    radius_graphs(ragged_data, **question)
    fresh = radius_graphs(ragged_data, **(question | change))
    expected = neighbors._build(ragged_data, **(question | change))
    np.testing.assert_array_equal(fresh, expected)


def test_the_cache_knows_the_points_and_where_samples_begin(ragged_data):
    question = {"indices": np.arange(3), "radius": 0.2, "max_neighbors": 3}
    radius_graphs(ragged_data, **question)
    offsets = ragged_data.offsets.copy()
    offsets[2] += 5
    for other in ({"points": ragged_data.points[::-1].copy()}, {"offsets": offsets}):
        data = replace(ragged_data, **other)
        fresh, expected = radius_graphs(data, **question), neighbors._build(data, **question)
        np.testing.assert_array_equal(fresh, expected)


def test_damaged_or_unwritable_cache_only_costs_time(ragged_data, tmp_path, monkeypatch):
    question = (ragged_data, np.arange(3), 0.2, 8)
    expected = radius_graphs(*question)
    for path in (tmp_path / "cache").rglob("*.npy"):
        path.write_bytes(b"junk")
    np.testing.assert_array_equal(radius_graphs(*question), expected)
    for path in (tmp_path / "cache").rglob("*.npy"):
        np.save(path, np.zeros_like(expected))  # a file that can be read, but is not that one
    np.testing.assert_array_equal(radius_graphs(*question), expected)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LLT_CACHE", str(tmp_path / "file"))
    np.testing.assert_array_equal(radius_graphs(*question), expected)


def test_graphs_of_samples_in_a_file_stay_in_a_file(ragged_data, tmp_path, monkeypatch):
    dataset_file.write(tmp_path / "set.h5", ragged_data)
    data, question = dataset_file.read(tmp_path / "set.h5"), (np.array([7, 2, 0]), 0.2, 30)
    expected = neighbors._build(ragged_data, *question)
    monkeypatch.setattr(neighbors, "trim", None)  # of the whole in memory
    graphs = radius_graphs(data, *question)
    assert isinstance(graphs, np.memmap)
    np.testing.assert_array_equal(graphs, expected)
    monkeypatch.setattr(neighbors, "_build", None)
    np.testing.assert_array_equal(radius_graphs(data, *question), expected)
    suffixes = {path.suffix for path in (tmp_path / "cache" / "graphs").iterdir()}
    assert suffixes == {".npy", ".sha256"}


def test_file_and_memory_share_the_cache(ragged_data, tmp_path, monkeypatch):
    dataset_file.write(tmp_path / "set.h5", ragged_data)
    first = radius_graphs(ragged_data, np.arange(3), 0.2, 8)
    monkeypatch.setattr(neighbors, "_build", None)
    data = dataset_file.read(tmp_path / "set.h5")
    np.testing.assert_array_equal(radius_graphs(data, np.arange(3), 0.2, 8), first)
