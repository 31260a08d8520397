"""A verdict that a person understands, and no praise for what is worse than the mean field."""

from dataclasses import replace

import pytest

from llt.evaluation.metrics import Evaluation
from llt.evaluation.verdict import WORSE, beside_mean, duration, percent, verdict

EVALUATION = Evaluation(
    run="runs/x",
    split="test",
    relative_l2=0.0123,
    median=0.01,
    worst=0.05,
    per_sample=[0.01, 0.05, 0.02],
    indices=[7, 8, 9],
    mean_field_error=0.25,
    seconds_per_sample=0.01,
    seconds_per_sample_batched=0.001,
    solve_seconds=None,
    solve_device=None,
    device="cpu",
    data_hash="",
    split_hash="",
    selection="",
    checkpoint={},
    parameters=1,
)


def field(error, mean):
    return {"relative_l2": error, "median": error, "worst": error, "mean_field_error": mean}


def test_errors_are_percents_with_three_digits():
    shown = [percent(error) for error in (0.00052, 0.0052, 0.0523, 0.523, 0.9996, 5.23, 52.3, 0.0)]
    expected = ["0.0520", "0.520", "5.23", "52.3", "100", "523", "5230", "below 0.001"]
    assert shown == [f"{number} %" for number in expected]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (0.01, "25 times better than predicting the mean field"),
        (0.05, "5.0 times better than predicting the mean field"),
        (0.24, "hardly better than predicting the mean field"),
        (0.25, WORSE),
        (0.40, WORSE),
        (float("nan"), WORSE),
    ],
)
def test_errors_stand_beside_the_mean_field(error, expected):
    assert beside_mean(error, 0.25) == expected


def test_a_good_run_is_no_bad_news():
    found = verdict(EVALUATION)
    assert found.text == (
        "off by 1.23 % on average: 20 times better than predicting the mean field (25.0 %)"
    )
    assert not found.bad


def test_worse_than_the_mean_field_is_bad_news():
    found = verdict(replace(EVALUATION, relative_l2=0.36))
    assert found.text == f"off by 36.0 % on average: {WORSE} (25.0 %)"
    assert found.bad


def test_a_bad_field_does_not_hide_behind_the_others():
    fields = {"u": field(0.01, 0.2), "v": field(0.5, 0.4), "p": field(0.6, 0.6)}
    found = verdict(replace(EVALUATION, fields=fields))
    assert found.text == (
        f"off by u 1.00 %, v 50.0 %, p 60.0 % on average; mean over fields 37.0 %: "
        f"hardly better than predicting the mean field (40.0 %); but v, p: {WORSE}"
    )
    assert found.bad
    older = {name: {"relative_l2": 0.9, "median": 0.9, "worst": 0.9} for name in fields}
    assert not verdict(replace(EVALUATION, fields=older)).bad  # they say nothing of the mean field


def test_fields_of_different_units_count_the_same_and_a_vector_once():
    fields = {"p": field(0.01, 0.4), "U_x": field(0.2, 0.9), "U_y": field(0.3, 1.0)}
    found = verdict(replace(EVALUATION, fields=fields, vectors={"U": field(0.03, 0.6)}))
    assert found.text == (
        "off by p 1.00 %, U 3.00 % on average; mean over fields 2.00 %: "
        "25 times better than predicting the mean field (50.0 %)"
    )
    one = {name: fields[name] for name in ("U_x", "U_y")}  # all there is: it has one unit
    assert verdict(replace(EVALUATION, fields=one)).text.startswith("off by 1.23 % on average: 20")


def test_the_worst_of_many_fields_are_named():
    fields = {f"c{i}": field(0.01 * (1 + i), 0.5) for i in range(6)}
    text = verdict(replace(EVALUATION, fields=fields)).text
    assert text.startswith(
        "off by c2 3.00 %, c3 4.00 %, c4 5.00 %, c5 6.00 % and 2 fields by less on average; "
        "mean over fields 3.50 %"
    )


def test_durations_have_readable_units():
    assert [duration(s) for s in (0.0123, 3, 300)] == ["12.3 ms", "3.0 s", "5.0 min"]
