"""Derived numbers as weighted sums over the points."""

import numpy as np
import pytest

from llt.data.derived import derived_numbers
from tests.data.kinds import cars, flow


def test_the_references_have_the_stored_number():
    data = cars()
    for index in range(len(data)):
        found = derived_numbers(data.problem, data.sample(index))
        assert found == {"drag": pytest.approx(float(data.derived[index, 0]), rel=1e-5)}


def test_any_outputs_have_one_and_only_weighted_ones_count():
    data = flow()
    sample = data.sample(1)
    u = np.arange(14.0).reshape(7, 2)
    expected = sum(w * v for w, v in zip(sample.weights["drag/pressure"], u[:, 0], strict=True))
    assert derived_numbers(data.problem, sample, u) == {"drag": pytest.approx(expected)}
