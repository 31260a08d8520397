"""Sizes of batches."""

import pytest

from llt.prediction.batching import POINTS, batches, cases_per_batch, power_of_two, room_for


def test_a_batch_holds_a_power_of_two_of_cases_and_a_bounded_number_of_points():
    for points in (1, 81, 972, 7225, POINTS, 2 * POINTS):
        size = cases_per_batch(points)
        assert size == power_of_two(size)
        assert size == 1 or POINTS / 2 < size * points <= POINTS


def test_neighbors_make_batches_smaller():
    """Gathered keys, values and their products of 96 neighbors, width 128, stay below 4 GiB."""
    size = cases_per_batch(972, 96)
    assert size > 1 and size * 972 * 96 * 128 * 4 * 4 < 4 * 2**30
    assert cases_per_batch(972, 12) == 64 and cases_per_batch(972) == 256


@pytest.mark.parametrize(("count", "below", "above"), [(1, 1, 1), (5, 4, 8), (8, 8, 8)])
def test_powers_of_two(count, below, above):
    assert power_of_two(count) == below and room_for(count) == above


def test_batches_cover_everything_once():
    assert [*batches(3, 10, 4)] == [slice(3, 7), slice(7, 10)]
    assert [*batches(0, 0, 4)] == []
