"""Where errors are largest, in words, and silence where nothing stands out."""

import numpy as np

from llt.evaluation.hardest import hardest
from llt.evaluation.trust import case_numbers
from tests.trust.cases import plates, surrogate_of, wings


def told(data, errors, cases=60):
    surrogate = surrogate_of(data)
    numbers = case_numbers(surrogate, data, np.arange(len(data))[:cases], moments=1)
    return hardest(surrogate.describer.words(), numbers, errors[:cases])


def test_parameters_are_told_by_name():
    data, rng = wings(), np.random.default_rng(0)
    mach, angle = data.parameters.T
    text = told(data, mach + 0.1 * rng.random(80))
    assert text.startswith("errors are largest where mach is high (rank correlation 0.9")
    assert "angle" not in text
    text = told(data, 1 - angle / 3 + 3 * mach)
    assert "where mach is high" in text
    assert "where angle is low" in text


def test_geometries_are_told_in_words():
    data = plates(80)
    hole = [np.linalg.norm(data.sample(i).points - 0.5, axis=1).min() for i in range(80)]
    text = told(data, np.array(hole), cases=80)
    assert "distance from the center is high" in text or "spread of" in text


def test_chance_is_not_told():
    data, rng = plates(80), np.random.default_rng(0)
    texts = [told(data, rng.random(80), cases=80) for _ in range(30)]
    assert sum(map(bool, texts)) <= 1


def test_few_cases_and_equal_errors_say_nothing():
    data = wings()
    assert told(data, data.parameters[:, 0], cases=19) == ""
    assert told(data, np.ones(80)) == ""
