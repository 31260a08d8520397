"""Random data look like the problem's own: shapes, shared meshes, neighbors, no zeros."""

import numpy as np
import pytest

from llt.bench.case import matched_case, problem_case
from llt.bench.synthetic import random_dataset
from llt.data.neighbors import radius_graph, training_radius
from llt.problem import PROBLEMS


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_batch_of_every_problem(name):
    case = problem_case(name)
    data = random_dataset(case, 3)  # checks its own shapes
    assert len(data.split("train")) == 3
    assert data.outputs.shape[-2:] == (case.num_points, case.problem.out_channels)
    assert (data.outputs != 0).all()
    geometry_is_input = name in ("elasticity", "airfoil", "pipe", "car")
    assert data.shared_points != geometry_is_input


def test_samples_differ():
    data = random_dataset(matched_case(64), 2)
    assert not np.allclose(data.inputs[0], data.inputs[1])


def test_point_sets_have_as_many_neighbors_as_a_mesh():
    data = random_dataset(problem_case("elasticity"), 1)
    counts = (radius_graph(data.points[0], training_radius(data), 96) >= 0).sum(axis=1)
    assert 7 < counts.mean() < 10
    assert counts.max() < 14
