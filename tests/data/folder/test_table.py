"""Tables of case parameters: numbers by case and name, or one line that says what is wrong."""

import pytest

from llt.data.folder.table import read_table
from llt.errors import ConfigError, DataError

CASES = ["c1", "c2"]


def table(folder, text, name="params.csv"):
    path = folder / name
    path.write_text(text)
    return read_table(path, CASES)


def test_numbers_units_and_words_of_a_csv_file(tmp_path):
    found = table(tmp_path, "case, speed [m/s],shape\nc1.vtu,1.5,round\n\nc2, 2e0,flat\n")
    assert (found.names, found.words, found.units) == (("speed",), ("shape",), {"speed": "m/s"})
    assert found.rows == {"c1": {"speed": 1.5}, "c2": {"speed": 2.0}}
    found.check(CASES)


def test_other_separators_and_a_byte_order_mark(tmp_path):
    found = table(tmp_path, "\ufeffcase;a;b\nc1;1;2\nc2;3;4\n")
    assert found.rows["c2"] == {"a": 3.0, "b": 4.0}


def test_tables_of_toml(tmp_path):
    found = table(
        tmp_path, "[c1]\nspeed = 1\nwet = true\n[c2]\nspeed = 2.5\nwet = false\n", "p.toml"
    )
    assert found.rows == {"c1": {"speed": 1.0, "wet": 1.0}, "c2": {"speed": 2.5, "wet": 0.0}}


def test_cases_without_a_row_and_rows_without_a_case_are_named(tmp_path):
    found = table(tmp_path, "case,a\nc1,1\nc3,2\n")
    with pytest.raises(DataError, match=r"params.csv: no row for case 'c2'"):
        found.check(CASES)
    with pytest.raises(DataError, match=r"params.csv: row 'c3' names no case"):
        found.check(["c1"])
    found.check(["c1"], known=["c3"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("case,a\nc1,1\nc2,\n", "'a' of case 'c2' is nothing, expected a number"),
        ("case,a\nc1,1\nc2,nan\n", "'a' of case 'c2' is nan, expected a number"),
        ("case,a\nc1,1\nc2,fast\n", "'a' of case 'c2' is fast, expected a number"),
        ("case,a\nc1,1\nc1.vtu,2\n", "two rows for case 'c1'"),
        ("case,a\nc1,1,2\n", "line 2 has 3 entries, not 2"),
        ("case,a,a\nc1,1,2\n", "names that differ"),
        ("case\nc1\n", "names that differ"),
        ("case,a\n", "no rows"),
        ("", "names that differ"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        table(tmp_path, text)


def test_names_of_columns_are_checked(tmp_path):
    found = table(tmp_path, "case,speed,shape\nc1,1,round\nc2,2,flat\n")
    with pytest.raises(ConfigError, match=r"unknown parameter 'sped'; did you mean speed"):
        found.check_names(["sped"])
    with pytest.raises(DataError, match="column 'shape' holds words"):
        found.check_names(["shape"])
