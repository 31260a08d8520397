"""Parameters of new cases."""

import numpy as np
import pytest

from llt.data.folder.cases import Case
from llt.data.formats import Mesh
from llt.errors import ConfigError, DataError
from llt.own_mesh.numbers import find_numbers, read_said
from tests.data.folder.made import write_cases
from tests.own_mesh.made import surrogate_of, write_table


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Of the column pull and the number speed."""
    cases = write_cases(tmp_path_factory.mktemp("numbers") / "cases")
    rows = [(f"c{i}", 1.0 + i) for i in range(7)]
    write_table(cases / "params.csv", ["pull [MPa]"], rows)
    return surrogate_of(cases, outputs=("T",)).files


def mesh(**numbers):
    return Mesh(points=np.zeros((1, 2)), case_fields=numbers)


def test_what_is_said_comes_before_the_table_and_the_table_before_the_file(plan, tmp_path):
    case = Case(name="a", files=(tmp_path / "a.vtu",))
    table = write_table(tmp_path / "t.csv", ["pull", "speed"], [("a", 2.0, 7.0)])
    assert find_numbers(plan, {"pull": 1.0}, None, ["a"]).of(case, mesh(speed=3.0)) == {
        "pull": 1.0,
        "speed": 3.0,
    }
    assert find_numbers(plan, {"pull": 1.0}, table, ["a"]).of(case, mesh(speed=3.0)) == {
        "pull": 1.0,
        "speed": 7.0,
    }


def test_what_is_missing_is_named(plan, tmp_path):
    case = Case(name="b", files=(tmp_path / "b.vtu",))
    with pytest.raises(DataError, match=r"b.vtu: no value of pull \[MPa\], speed; pass --param "):
        find_numbers(plan, {}, None, ["b"]).of(case, mesh())
    table = write_table(tmp_path / "t.csv", ["pull"], [("a", 2.0)])
    with pytest.raises(DataError, match=r"t.csv has no row 'b'"):
        find_numbers(plan, {}, table, ["b"]).of(case, mesh(speed=1.0))
    table = write_table(tmp_path / "t.csv", ["other"], [("b", 2.0)])
    with pytest.raises(DataError, match=r"t.csv has no such column"):
        find_numbers(plan, {}, table, ["b"]).of(case, mesh(speed=1.0))


def test_other_units_and_unknown_names_are_refused(plan, tmp_path):
    table = write_table(tmp_path / "t.csv", ["pull [kPa]"], [("b", 2.0)])
    with pytest.raises(DataError, match="pull is in kPa, it was trained in MPa"):
        find_numbers(plan, {}, table, ["b"])
    with pytest.raises(ConfigError, match=r"--param pul: unknown parameter 'pul'; did you mean pu"):
        find_numbers(plan, {"pul": 1.0}, None, [])


def test_what_is_said(plan):
    assert read_said(["pull=1e3", "speed = -2"]) == {"pull": 1000.0, "speed": -2.0}
    for word in ("pull", "pull=", "pull=much", "pull=nan"):
        with pytest.raises(ConfigError, match=f"--param {word}: expected NAME=VALUE"):
            read_said([word])
