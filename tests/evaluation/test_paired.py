"""Whether one run is better than another, as far as cases can tell."""

import numpy as np
import pytest

from llt.evaluation.paired import FEWEST, compare


def test_what_all_cases_agree_on_is_clear_though_cases_differ_much():
    errors = np.linspace(0.01, 1, 20)
    found = compare(errors, errors + 0.004 + 0.001 * np.cos(np.arange(20)))
    assert found.clear and found.better == 20 and found.worse == 0
    assert found.difference == pytest.approx(-0.004, abs=2e-4)
    assert found.first == pytest.approx(errors.mean())


def test_what_cases_disagree_on_is_not():
    rng = np.random.default_rng(0)
    found = compare(rng.random(50), rng.random(50))
    assert not found.clear and abs(found.difference) < found.spread
    assert found.better + found.worse == found.cases == 50


def test_the_interval_holds_the_true_difference_as_often_as_it_says():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        both = rng.lognormal(size=30)
        found = compare(both + rng.normal(0.1, 0.3, 30), both)
        held += abs(found.difference - 0.1) <= found.spread
    assert held / 400 == pytest.approx(0.95, abs=0.03)


def test_few_cases_tell_nothing():
    few = np.arange(FEWEST - 1.0)
    assert compare(few, few + 1).spread is None and not compare(few, few + 1).clear
    enough = np.arange(float(FEWEST))
    assert compare(enough, enough + 1).clear


def test_the_same_run_is_no_better_than_itself():
    found = compare([0.1] * 9, [0.1] * 9)
    assert not found.clear and found.better == found.worse == 0
