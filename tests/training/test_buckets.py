"""Sizes of batches of ragged samples."""

import numpy as np

from llt.training.buckets import bucket_sizes, step_sizes


def test_equal_samples_have_one_size():
    assert bucket_sizes(None) == [None]
    assert bucket_sizes(np.array([5, 5, 5])) == [5]
    assert step_sizes(np.array([[0, 1], [2, 0]]), None, [None]) == [None, None]


def test_a_step_has_the_smallest_size_that_holds_its_largest_sample():
    counts, samples = np.array([10, 20, 30, 40]), np.array([[0, 1], [3, 0], [2, 1], [0, 0]])
    assert step_sizes(samples, counts, [40, 30, 15]) == [30, 40, 30, 15]
