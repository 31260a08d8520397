import json
from dataclasses import replace

import pytest

from llt.errors import ConfigError
from llt.problem import DARCY, PROBLEMS, Field, Problem, find_problem

FIELDS = {"inputs": ("a",), "outputs": ("u",)}

IMPOSSIBLE = {
    "dimension": ({"space_dim": 4, **FIELDS}, "space_dim must be 2 or 3, got 4"),
    "grid": ({"space_dim": 3, "grid": (4, 4), **FIELDS}, r"grid \(4, 4\) needs 3 axes"),
    "no output": ({"space_dim": 2, "inputs": ("a",), "outputs": ()}, "at least one output field"),
    "same name": (
        {"space_dim": 2, "inputs": ("a",), "outputs": ("u", "u")},
        "field names must differ, got u, u",
    ),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_impossible_problems(case):
    settings, message = IMPOSSIBLE[case]
    with pytest.raises(ConfigError, match=f"mine: .*{message}"):
        Problem(name="mine", **settings)


def test_problems_are_found_by_name():
    assert find_problem("darcy") is DARCY
    with pytest.raises(ConfigError, match="unknown problem 'darci'; did you mean darcy"):
        find_problem("darci")


def test_a_field_is_given_by_its_name_or_in_full():
    problem = Problem(
        name="wing",
        space_dim=2,
        inputs=("distance",),
        outputs=(Field("pressure", unit="Pa", mask="surface", weight=0.5), "velocity"),
        parameters=(Field("angle", unit="deg"),),
        derived=("drag",),
    )
    assert problem.input_names == ("distance",) and problem.parameter_names == ("angle",)
    assert problem.output_names == ("pressure", "velocity") and problem.derived_names == ("drag",)
    assert problem.mask_names == ("surface",)
    assert problem.in_channels == 2
    assert Problem.from_dict(json.loads(json.dumps(problem.to_dict()))) == problem


def test_components_of_a_vector_are_found_by_their_names():
    names = ("u_y", "velocity_x", "u_x", "p", "velocity_y", "_x", "_y", "w_x")
    problem = Problem(name="flow", space_dim=2, inputs=(), outputs=names)
    assert problem.vectors == {"u": (2, 0), "velocity": (1, 4)}
    assert replace(problem, space_dim=3).vectors == {}
    assert PROBLEMS["car"].vectors == {"velocity": (0, 1, 2)}
    assert PROBLEMS["plasticity"].vectors == {"u": (2, 3)}


def test_an_input_and_an_output_may_share_a_name_but_not_two_of_one_side():
    Problem(name="step", space_dim=2, inputs=("u",), outputs=("u",))
    with pytest.raises(ConfigError, match="field names must differ, got u, u"):
        Problem(name="step", space_dim=2, inputs=("u",), parameters=("u",), outputs=("v",))


@pytest.mark.parametrize(
    ("field", "message"),
    [({"name": ""}, "needs a name"), ({"name": "p", "weight": 0.0}, "p: weight 0.0 must be")],
)
def test_impossible_fields(field, message):
    with pytest.raises(ConfigError, match=message):
        Field(**field)
