"""Ranks are no surer than the spread over seeds lets them be."""

from llt.bench.ranking import ranks


def named(errors, complete=True):
    return {model: str(rank) for model, rank in ranks(errors, complete=complete).items()}


def test_models_whose_spreads_overlap_share_their_ranks():
    errors = {"a": [1.0, 1.2], "b": [1.1, 1.3], "c": [2.0, 2.1], "d": [0.1, 0.2]}
    assert named(errors) == {"a": "2-3", "b": "2-3", "c": "4", "d": "1"}
    assert [m for m, rank in ranks(errors, complete=True).items() if rank.wins] == ["d"]


def test_overlap_is_not_handed_on():
    # a and c are told apart, though b can be told from neither
    errors = {"a": [1.0, 1.2], "b": [1.1, 1.5], "c": [1.4, 1.6]}
    assert named(errors) == {"a": "1-2", "b": "1-3", "c": "2-3"}
    assert not any(rank.wins for rank in ranks(errors, complete=True).values())


def test_one_seed_or_an_open_cell_makes_all_ranks_guesses():
    apart = {"a": [1.0, 1.01], "b": [2.0, 2.01]}
    single = {**apart, "c": [1.5]}
    assert named(single) == {"a": "1?", "b": "3?", "c": "2?"}
    assert named(apart, complete=False) == {"a": "1?", "b": "2?"}
    found = [*ranks(single, complete=True).values(), *ranks(apart, complete=False).values()]
    assert not any(rank.wins for rank in found)


def test_nobody_wins_alone():
    assert named({"a": [1.0, 1.1]}) == {"a": "1?"}
