"""Rivals and rates are chosen by validation errors of finished cells."""

from llt.bench.selection import best_models, best_rate
from tests.bench.studies import cell, diverged


def test_validation_decides_and_not_the_test():
    found = [
        cell("fno", 0.1, best_val_error=0.3),
        cell("lno", 0.3, best_val_error=0.1),
        cell("llt", 0.2, best_val_error=0.2),
        diverged("ono"),
    ]
    assert best_models(found, 1, ["llt"]) == ["lno"]
    assert best_models(found, 3, ["llt"]) == ["lno", "fno"]


def test_seeds_count_by_their_mean_and_recipes_by_the_better():
    found = [
        *(cell("fno", e, seed=s) for s, e in enumerate((0.1, 0.5))),
        *(cell("lno", e, seed=s) for s, e in enumerate((0.2, 0.3))),
        *(cell("ono", e, recipe=r) for r, e in (("best", 0.9), ("paper", 0.1))),
        cell("gnot", 0.01, seed=0),
        diverged("gnot", seed=1),
    ]
    assert best_models(found, 3, []) == ["ono", "lno", "fno"]


def test_there_is_no_choice_while_a_cell_is_open():
    assert best_models([cell("fno", 0.1), None], 1, []) is None


def test_the_rate_is_that_of_the_smallest_validation_error():
    better = cell("fno", 0.9, best_val_error=0.1)
    worse = cell("fno", 0.1, best_val_error=0.9)
    assert best_rate({0.3: [worse], 1.0: [worse], 3.0: [better]}) == 3.0
    assert best_rate({0.3: [worse, better], 1.0: [better, better], 3.0: [worse]}) == 1.0


def test_a_rate_that_diverges_is_not_chosen():
    good, bad = cell("fno", 0.9), diverged("fno")
    assert best_rate({0.3: [good], 1.0: [bad], 3.0: [bad]}) == 0.3
    assert best_rate({0.3: [cell("fno", 0.1), bad], 3.0: [good]}) == 3.0
    assert best_rate({0.3: [bad], 3.0: [bad]}) == 1.0  # the recipe's own


def test_of_equals_the_rate_nearest_to_the_recipes_is_chosen():
    same = [cell("fno", 0.1)]  # as of the mean field, where nothing was learned
    assert best_rate({0.3: same, 1.0: same, 3.0: same}) == 1.0
    assert best_rate({0.1: same, 3.0: same, 1.0: [diverged("fno")]}) == 3.0


def test_there_is_no_rate_while_a_trial_is_open():
    assert best_rate({0.3: [cell("fno", 0.1)], 1.0: [diverged("fno")], 3.0: [None]}) is None
