import numpy as np
import pytest

from llt.data.neighbors import median_spacing, radius_graph, training_radius


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


def test_a_point_is_its_own_first_neighbor_even_among_duplicates():
    points = np.zeros((6, 2))
    graph = radius_graph(points, 1.0, 3)
    assert (graph[:, 0] == np.arange(6)).all()
    assert all(len(set(row)) == 3 for row in graph)


def test_spacing_of_a_regular_grid():
    points = np.stack(np.meshgrid(np.arange(5) * 0.25, np.arange(5) * 0.25), -1).reshape(-1, 2)
    assert median_spacing(points) == pytest.approx(0.25)


def test_radius_follows_the_papers_rule(ragged_data):
    train = ragged_data.split("train")
    spacing = np.median([median_spacing(ragged_data.sample(i).points) for i in train])
    assert training_radius(ragged_data) == pytest.approx(2 * spacing)
