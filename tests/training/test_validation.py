"""The error of held-out samples, against one prediction at a time."""

import numpy as np
import pytest

from llt.training.validation import sample_errors
from tests.training.test_step import KINDS, make_step, stretched


@pytest.mark.parametrize("kind", KINDS)
def test_error_of_a_sample_is_over_all_its_points_channels_and_times(kind):
    data = stretched(KINDS[kind]())
    step = make_step(data)
    expected = []
    for sample in map(data.sample, data.split("train")):
        times = [None] if data.times is None else data.times
        u = [step.surrogate.predict(sample.points, sample.inputs, t) for t in times]
        target = sample.outputs
        expected.append(
            np.linalg.norm(np.reshape(u, target.shape) - target) / np.linalg.norm(target)
        )
    errors = sample_errors(step.surrogate, step.data)
    np.testing.assert_allclose(errors, expected, rtol=1e-4)
    assert len(set(np.round(expected, 4))) > 1
