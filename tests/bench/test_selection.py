"""Rivals are chosen by validation errors of finished cells."""

from llt.bench.selection import best_models
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
