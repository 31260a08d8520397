import pytest

from llt.errors import ConfigError
from llt.problem import DARCY, Problem, find_problem

FIELDS = {"inputs": ("a",), "outputs": ("u",)}

IMPOSSIBLE = {
    "dimension": ({"space_dim": 4, **FIELDS}, "space_dim must be 2 or 3, got 4"),
    "grid": ({"space_dim": 3, "grid": (4, 4), **FIELDS}, r"grid \(4, 4\) needs 3 axes"),
    "no output": ({"space_dim": 2, "inputs": ("a",), "outputs": ()}, "at least one output field"),
    "same name": (
        {"space_dim": 2, "inputs": ("a",), "outputs": ("u", "a")},
        "field names must differ, got a, u, a",
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
