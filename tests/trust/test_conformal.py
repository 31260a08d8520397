"""Bars hold for new cases as often as they claim, whatever the scores are like."""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from llt.trust.conformal import case_bar, fewest_cases, point_bar


def test_bars_need_nine_cases():
    assert fewest_cases() == 9
    scores = np.arange(9.0)
    assert case_bar(scores) == 8.0
    assert case_bar(scores[:8]) is None
    assert point_bar([scores] * 9) is not None
    assert point_bar([scores] * 8) is None


@pytest.mark.parametrize("n", [9, 10, 19, 29, 39, 49, 69, 99, 200])
def test_the_rank_is_that_of_exact_arithmetic(n):
    rank = ceil(Fraction(9, 10) * (n + 1))
    assert case_bar(np.random.default_rng(0).permutation(n) + 1.0) == rank


def test_a_point_bar_of_one_point_per_case_is_the_case_bar():
    scores = np.random.default_rng(0).exponential(size=57)
    assert point_bar([scores[i : i + 1] for i in range(57)]) == case_bar(scores)


def test_every_case_counts_the_same():
    """A case with a thousand points is one case."""
    small, large = [np.array([1.0])] * 19, [np.full(1000, 5.0)]
    assert point_bar(small + large) == 1.0


def test_cases_without_points_do_not_count():
    known, nothing = [np.arange(4.0)] * 9, [np.empty(0)]
    assert point_bar(known + nothing) == point_bar(known)
    assert point_bar(known[:8] + nothing) is None


def drawn_cases(rng, count):
    """Cases of different sizes, whose points have much in common: some are hard throughout."""
    return [rng.lognormal() * rng.exponential(size=rng.integers(5, 60)) for _ in range(count)]


@pytest.mark.parametrize("n", [9, 15, 40])
def test_points_of_new_cases_are_covered(n):
    rng, shares = np.random.default_rng(0), []
    for _ in range(3000):
        *known, new = drawn_cases(rng, n + 1)
        shares.append((new <= point_bar(known)).mean())
    error = np.std(shares) / np.sqrt(len(shares))
    assert 0.9 - 3 * error < np.mean(shares) < 0.9 + 1 / (n + 1) + 3 * error


@pytest.mark.parametrize("n", [9, 15, 40])
def test_new_cases_are_covered(n):
    rng = np.random.default_rng(0)
    scores = rng.lognormal(size=(20000, n + 1))
    share = np.mean([row[-1] <= case_bar(row[:-1]) for row in scores])
    assert 0.9 - 0.007 < share < 0.9 + 1 / (n + 1) + 0.007
