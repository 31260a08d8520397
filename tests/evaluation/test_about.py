"""A report says in words what was solved."""

from dataclasses import replace

from llt.evaluation.about import KNOWN, about
from llt.problem import DARCY, PROBLEMS, Problem
from tests.data.kinds import FLOW


def test_every_benchmark_problem_has_words_and_an_equation():
    assert KNOWN.keys() == PROBLEMS.keys()
    for name, problem in PROBLEMS.items():
        assert about(problem) is KNOWN[name]
        assert about(problem).equation


def test_own_problems_are_told_by_their_fields_and_units():
    assert about(FLOW).text == (
        "Given roughness and pressure (Pa) and the case's speed (m/s) and angle on points in 2-D, "
        "predict pressure (Pa) and velocity (m/s)."
    )
    bare = Problem(name="plate", space_dim=2, inputs=(), outputs=("u",), grid=(4, 5), timed=True)
    text = "Given the geometry alone on a grid of 4 x 5 points in 2-D, predict u at a given time."
    assert about(bare).text == text


def test_a_name_alone_makes_no_known_problem():
    own = replace(DARCY, outputs=("heat",))
    assert about(own).title == "darcy" and not about(own).equation
    assert about(replace(DARCY, grid=(9, 9))) is KNOWN["darcy"]
