"""The errors of held-out samples, against one prediction at a time."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.training.validation import relative_errors, sample_errors
from tests.training.test_step import KINDS, make_step, stretched


@pytest.mark.parametrize("kind", KINDS)
def test_error_of_a_sample_is_over_all_its_points_channels_and_times(kind):
    data = stretched(KINDS[kind]())
    step = make_step(data)
    expected, fields = [], []
    for sample in map(data.sample, data.split("train")):
        times = [None] if data.times is None else data.times
        u = [step.surrogate.predict(sample.points, sample.inputs, t) for t in times]
        target = sample.outputs
        expected.append(
            np.linalg.norm(np.reshape(u, target.shape) - target) / np.linalg.norm(target)
        )
        difference = np.reshape(u, target.shape) - target
        over = tuple(range(target.ndim - 1))
        fields.append(np.linalg.norm(difference, axis=over) / np.linalg.norm(target, axis=over))
    errors = sample_errors(step.surrogate, step.data)
    np.testing.assert_allclose(errors.total, expected, rtol=1e-4)
    np.testing.assert_allclose(errors.fields, fields, rtol=1e-4)
    assert len(set(np.round(expected, 4))) > 1


@pytest.mark.parametrize("kind", ["darcy", "ragged"])
def test_small_fields_have_the_errors_of_large_ones(kind):
    """Volts or femtovolts: squares of small numbers must not vanish."""
    errors = []
    for unit in (1.0, 1e-18):
        data = KINDS[kind]()
        data = replace(data, outputs=(data.outputs * unit).astype(np.float32))
        step = make_step(data)
        errors.append(sample_errors(step.surrogate, step.data))
    torch.testing.assert_close(errors[0].total, errors[1].total, rtol=1e-4, atol=0)
    torch.testing.assert_close(errors[0].fields, errors[1].fields, rtol=1e-4, atol=0)


def test_a_target_of_zeros_is_told_beside_the_size_of_the_others():
    error, target = torch.tensor([4.0, 1.0, 9.0]), torch.tensor([16.0, 0.0, 8.0])
    expected = torch.tensor([0.5, (1 / 8) ** 0.5, (9 / 8) ** 0.5])
    torch.testing.assert_close(relative_errors(error, target), expected)
    assert torch.equal(relative_errors(error, torch.zeros(3)), torch.tensor([2.0, 1.0, 3.0]))
