"""What people write: a value comes out, or one line of complaint, whatever the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llt.cli.evaluate import parse_resolutions
from llt.cli.generate import parse_counts, parse_settings
from llt.cli.words import counts, numbers, words
from llt.errors import ConfigError, LltError
from llt.problem import PROBLEMS, Problem
from llt.training.settings import parse_value, parse_words

# beside any text, what looks as if it were right
TEXTS = st.text(max_size=40) | st.text("0123456789,=x.-+eE_[]{}\"' \n#", max_size=30)
SETTINGS = st.builds("{}.{}={}".format, st.sampled_from(("train", "model")), TEXTS, TEXTS)
PARSERS = (parse_value, parse_counts, parse_resolutions, counts, numbers, words)
quick = settings(max_examples=200)


def value_or_complaint(parse, given):
    try:
        return parse(given)
    except LltError as error:
        assert str(error)
        return None


@pytest.mark.parametrize("parse", PARSERS)
@quick
@given(text=TEXTS)
def test_any_text(parse, text):
    value_or_complaint(parse, text)


@pytest.mark.parametrize("parse", [parse_words, parse_settings])
@quick
@given(text=TEXTS | SETTINGS)
def test_any_setting(parse, text):
    value_or_complaint(parse, [text])


@pytest.mark.parametrize("text", ["[" * 5000, "9" * 5000, "{a=" * 5000, "1e99999", "0x" + "f" * 99])
def test_values_that_parsers_choke_on(text):
    assert parse_value(text) is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda part: (
        st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=5), part, max_size=3)
    ),
    max_leaves=8,
)
PARTS = tuple(PROBLEMS["darcy"].to_dict())


@quick
@given(part=st.sampled_from(PARTS), value=JSON, place=st.integers(-1, 6))
def test_any_problem(part, value, place):
    """One part of a real problem is something else."""
    about = PROBLEMS["darcy"].to_dict()
    if place >= 0 and part in ("inputs", "outputs", "symmetries"):
        first = dict(about[part][0])
        about[part] = [first | {sorted(first)[place % len(first)]: value}]
    else:
        about[part] = value
    found = value_or_complaint(Problem.from_dict, about)
    if found is not None:
        assert Problem.from_dict(found.to_dict()) == found
        found.describe()


MIRROR = PROBLEMS["pipe"].to_dict()["symmetries"][0]
WRONG = {
    "a name in numbers": {"name": 5},
    "dimensions in fractions": {"space_dim": 2.0},
    "no points": {"grid": [0, 5]},
    "points in words": {"grid": ["five", "five"]},
    "time in words": {"timed": "no"},
    "fields in a word": {"inputs": "ab"},
    "a field of numbers": {"outputs": [{"name": "u", "unit": 5}]},
    "a map of three dimensions": {"symmetries": [MIRROR | {"offset": [0.0, 0.0, 0.0]}]},
    "a map to nowhere": {"symmetries": [MIRROR | {"offset": [0.0, float("nan")]}]},
    "axes that are not there": {"symmetries": [MIRROR | {"axes": [0, 2]}]},
    "signs in words": {"symmetries": [MIRROR | {"output_signs": ["-"]}]},
}


@pytest.mark.parametrize("case", WRONG)
def test_a_problem_of_wrong_parts_is_refused(case):
    with pytest.raises(ConfigError):
        Problem.from_dict(PROBLEMS["pipe"].to_dict() | WRONG[case])


@quick
@given(value=JSON)
def test_anything_but_a_problem(value):
    assert value_or_complaint(Problem.from_dict, value) is None
