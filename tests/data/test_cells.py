"""Cell lists find the graph that a KD-tree finds."""

import numpy as np
import pytest
import torch

from llt.data.cells import _Cells, cell_graph
from llt.data.neighbors import radius_graph, trim

rng = np.random.default_rng(0)
crowded = np.concatenate([rng.random((300, 3)), 0.5 + 1e-3 * rng.standard_normal((300, 3))])
lattice = np.stack(np.meshgrid(*[np.arange(6)] * 3), -1).reshape(-1, 3)
strays = np.concatenate([rng.random((1000, 3)), np.full((3, 3), 0.25 * (2**22 - 2.5))])
strays[:60] *= np.repeat(1 - np.eye(3), 20, axis=0)  # 2**22 cells along each axis from here
CASES = {  # points, radius, neighbors at most
    "plane": (rng.random((700, 2)), 0.08, 12),
    "space": (rng.random((600, 3)), 0.2, 32),
    "more in reach than asked for": (rng.random((500, 2)), 0.5, 6),
    "crowded": (crowded, 0.3, 16),
    "far apart": (rng.random((50, 2)), 1e-3, 8),
    "a thin box": (rng.random((300, 3)) * (1, 1, 1e-6), 0.1, 16),
    "a line": (rng.random((200, 1)) * (1, 0), 0.05, 8),
    "fewer points than neighbors": (rng.random((3, 2)), 5.0, 8),
    "one point": (rng.random((1, 2)), 5.0, 8),
    "far from zero": (1000 + rng.random((400, 3)), 0.2, 16),
    "a few strays": (strays, 0.25, 64),
    "cells beyond counting": (np.concatenate([rng.random((200, 2)), [[1e9, 1e9]]]), 1e-2, 8),
}


def found(points, radius, K):
    return cell_graph(torch.from_numpy(points), radius, K).numpy()


@pytest.mark.parametrize("case", CASES)
def test_same_graph_as_the_tree(case):
    points, radius, K = CASES[case]
    points = points.astype(np.float32)
    expected = trim(radius_graph(points, radius, K))
    graph = found(points, radius, K)
    np.testing.assert_array_equal(np.sort(graph), np.sort(expected))
    np.testing.assert_array_equal(graph[:, 0], np.arange(len(points)))


def test_strays_do_not_crowd_the_others_into_one_cell():
    x = torch.from_numpy(rng.random((1000, 3)))
    with_strays = torch.cat([x, torch.tensor([[1e9, 0, 0], [0, -1e9, 0]])])
    assert _Cells(with_strays, 0.1).crowd < 2 * _Cells(x, 0.1).crowd


def test_of_equal_distances_smaller_indices_come_first():
    """On a lattice a tree takes any of those that are equally far."""
    points = lattice.astype(np.float32)
    graph = found(points, 2.0, 10)
    for row, point in zip(graph, points, strict=True):
        distance = np.linalg.norm(points - point, axis=1)
        inside = np.flatnonzero(distance <= 2)
        nearest = inside[np.lexsort((inside, distance[inside]))][:10]
        np.testing.assert_array_equal(row, nearest)


def test_without_any_reach_only_duplicates_are_neighbors():
    points = np.zeros((3, 2), np.float32)
    np.testing.assert_array_equal(found(points, 0.0, 8), [[0, 1, 2], [1, 0, 2], [2, 0, 1]])
    np.testing.assert_array_equal(found(points[:1], 0.0, 8), [[0]])
    apart = rng.random((20, 3)).astype(np.float32)
    np.testing.assert_array_equal(found(apart, 0.0, 8), np.arange(20)[:, None])


def test_a_point_comes_before_its_duplicates():
    points = np.zeros((20, 2), np.float32)
    graph = found(points, 0.1, 4)
    np.testing.assert_array_equal(graph[:, 0], np.arange(20))
    np.testing.assert_array_equal(graph[7], [7, 0, 1, 2])
    np.testing.assert_array_equal(graph[1], [1, 0, 2, 3])


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("case", CASES)
def test_same_graph_on_a_gpu(case):
    points, radius, K = CASES[case]
    points = torch.from_numpy(points.astype(np.float32))
    assert torch.equal(cell_graph(points.cuda(), radius, K).cpu(), cell_graph(points, radius, K))
