"""Records of several runs are one study, or are refused."""

import pytest

from llt.bench.study_results import study_results
from llt.errors import DataError
from tests.bench.studies import cell, records, study

CHOICE = {"tier": 2, "data": "darcy", "number": 1}


def test_what_one_run_leaves_open_another_may_have_done():
    first = study(cell("llt", 0.1), cell("fno"), rivals=[CHOICE | {"models": None}])
    second = study(cell("llt", 0.1), cell("fno", 0.2), cell("ono"), unfit=[["car", "fno"]])
    third = study(rivals=[CHOICE | {"models": ["fno"]}])
    found = study_results(records(first, second, third) | {"accuracy/other": None})
    assert {name: c["test_error"] for name, c in found["cells"].items()} == {
        "darcy-llt-best-20-seed-0": 0.1,
        "darcy-fno-best-20-seed-0": 0.2,
    }
    assert [*found["open"]] == ["darcy-ono-best-20-seed-0"]
    assert found["rivals"] == [CHOICE | {"models": ["fno"]}]
    assert found["unfit"] == [["car", "fno"]]


def test_two_records_may_have_a_cell_without_a_number():
    """JSON has it anew every time, and it does not equal itself."""
    found = [study(cell("llt", 0.1, curve={"val_error": [float("nan")]})) for _ in range(2)]
    assert len(study_results(records(*found))["cells"]) == 1


def test_seconds_of_two_devices_are_not_put_together():
    one = study(alone={"darcy-llt-best-20": 1.0}, device="a slow GPU")
    two = study(alone={"darcy-llt-best-20": 0.1, "darcy-fno-best-20": 0.2})
    three = study(alone={"darcy-lno-best-20": 0.3})
    expected = {"darcy-llt-best-20": 0.1, "darcy-fno-best-20": 0.2, "darcy-lno-best-20": 0.3}
    assert study_results(records(one, two, three))["alone"] == expected


BAD = {
    "numbers": (
        study(cell("llt", 0.2, parameters=7)),
        "study-1: cell darcy-llt-best-20-seed-0 has test_error 0.2, in accuracy/study-0 it is 0.1",
    ),
    "data": (
        study(cell("fno", 0.2), hashes={"darcy": "other"}),
        "study-1: its darcy is the data other, that of accuracy/study-0 is 0123456789abcdef",
    ),
    "model": (
        study(cell("transolvr", 0.2)),
        "study-1: cell darcy-transolvr-best-20-seed-0: unknown model 'transolvr'; did you mean",
    ),
    "rivals": (
        study(rivals=[CHOICE | {"models": ["ono"]}]),
        "study-1: rivals on darcy in tier 2 are ono, in accuracy/study-0 fno",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_contradictions_are_refused_in_one_line(case):
    second, message = BAD[case]
    first = study(cell("llt", 0.1), rivals=[CHOICE | {"models": ["fno"]}])
    with pytest.raises(DataError, match=message) as caught:
        study_results(records(first, second))
    assert "\n" not in str(caught.value)
