"""The mean field follows one rule: at every point where points correspond, else one number."""

from dataclasses import replace

import numpy as np
import pytest

from llt.evaluation.mean_field import AT_POINTS, CONSTANT, guess_errors, mean_field
from tests.conftest import darcy_like, geometry_only, ragged
from tests.data.kinds import KINDS, timed


def test_on_a_grid_it_is_the_mean_at_every_point():
    data = darcy_like()
    guess, kind = mean_field(data)
    assert kind == AT_POINTS
    np.testing.assert_allclose(guess, data.outputs[data.split("train")].mean(axis=0), rtol=1e-6)


def test_on_point_sets_it_is_one_number_stacked_or_ragged():
    """The same samples in another order of their points have the same mean field."""
    data = geometry_only()
    assert not data.ragged
    guess, kind = mean_field(data)
    assert kind == CONSTANT
    mean = data.outputs[data.split("train")].mean()
    np.testing.assert_allclose(guess, [[mean]], rtol=1e-6)
    mixed = ragged()
    guess, kind = mean_field(mixed)
    rows = np.concatenate([mixed.sample(i).outputs for i in mixed.split("train")])
    assert kind == CONSTANT
    np.testing.assert_allclose(guess, rows.mean(axis=0, keepdims=True), rtol=1e-6)


def test_samples_with_the_same_points_correspond():
    data = geometry_only()
    same = replace(data, points=np.broadcast_to(data.points[0], data.points.shape))
    stored_once = replace(data, points=data.points[0])
    for found in (same, stored_once):
        guess, kind = mean_field(found)
        assert kind == AT_POINTS
        np.testing.assert_allclose(guess, data.outputs[data.split("train")].mean(0), rtol=1e-6)


def test_errors_of_the_guess_are_relative_norms_also_at_every_time():
    data = timed()
    guess, _ = mean_field(data)
    train = np.stack([data.sample(i).outputs for i in data.split("train")])
    np.testing.assert_allclose(guess, train.mean(axis=0), rtol=1e-6)
    (u,) = (data.sample(i).outputs.astype(float) for i in data.split("test"))
    found = guess_errors(data, data.split("test"), guess)
    error = guess - u
    assert found.total.item() == pytest.approx(np.linalg.norm(error) / np.linalg.norm(u))
    over = lambda z, axis: np.linalg.norm(z, axis=axis)  # noqa: E731
    np.testing.assert_allclose(found.fields[0], over(error, (0, 1)) / over(u, (0, 1)))
    np.testing.assert_allclose(found.times[0], over(error, (1, 2)) / over(u, (1, 2)))
    np.testing.assert_allclose(found.field_times[0], over(error, 1) / over(u, 1))


def test_a_field_that_is_zero_at_a_time_is_measured_by_its_other_times():
    """As a displacement at the start."""
    data = timed()
    outputs = data.outputs.copy()
    outputs[:, 0, :, 2] = 0
    data = replace(data, outputs=outputs)
    (u,) = (data.sample(i).outputs.astype(float) for i in data.split("test"))
    found = guess_errors(data, data.split("test"), np.full((6, 12, 4), 0.25))
    size = np.sqrt((u[..., 2] ** 2).sum(axis=1).mean())
    assert found.field_times[0, 0, 2].item() == pytest.approx(0.25 * np.sqrt(12) / size)


@pytest.mark.parametrize("kind", ["flow", "flow-grid", "flow-ragged", "flow-ragged-timed-inputs"])
def test_it_is_over_the_points_where_a_field_exists(kind):
    data = KINDS[kind]()
    train = [data.sample(i) for i in data.split("train")]

    def mean(channel, exists):
        pairs = [(s.outputs[..., channel], exists(s)) for s in train]
        if data.problem.grid is None:
            return np.concatenate([u[..., here] for u, here in pairs], axis=-1).mean(-1)[..., None]
        return sum(u * here for u, here in pairs) / np.maximum(sum(here for _, here in pairs), 1)

    expected = [
        mean(0, lambda s: s.masks["surface"]),
        mean(1, lambda s: np.ones(len(s.points)) > 0),
    ]
    guess, _ = mean_field(data)
    np.testing.assert_allclose(guess, np.stack(expected, axis=-1), rtol=1e-5)
    (sample,) = map(data.sample, data.split("test"))
    pair = np.stack([sample.outputs - guess, sample.outputs]).astype(float) ** 2
    surface, over = sample.masks["surface"], tuple(range(1, pair.ndim - 1))
    error, target = np.stack([pair[..., surface, 0].sum(over), pair[..., 1].sum(over)], axis=1)
    found = guess_errors(data, data.split("test"), guess)
    total = np.sqrt((3 * error[0] + error[1]) / (3 * target[0] + target[1]))
    assert found.total.item() == pytest.approx(total, rel=1e-5)
    np.testing.assert_allclose(found.fields[0], np.sqrt(error / target), rtol=1e-5)
