"""Two runs on a page: numbers of both, of their differences, and what these are worth."""

from dataclasses import replace

import numpy as np
import pytest

from llt.cli import main
from llt.evaluation.comparison import Comparison
from llt.evaluation.comparison_figures import times_figure
from llt.evaluation.comparison_report import write_comparison
from llt.evaluation.comparison_words import by_field, verdict
from llt.evaluation.metrics import Symmetrized
from llt.evaluation.trust import Trusted
from llt.evaluation.verdict import percent
from tests.data.kinds import flow
from tests.evaluation.comparison.made import changed, finished, trained
from tests.evaluation.test_report import captions, cells, headline, parsed, spaced


def test_numbers_are_of_both_and_of_their_differences_case_by_case(found, page):
    one, other = (np.array(run.evaluation.per_sample) for run in found.runs)
    head, row = cells(page, "Which is better")
    assert head[1:3] == ["short", "long <b>"]
    assert row[1:3] == [percent(one.mean()), percent(other.mean())]
    sign = "\N{MINUS SIGN}" if one.mean() < other.mean() else "+"
    assert row[3].startswith(f"{sign}{percent(abs((one - other).mean()))} ± ")
    assert row[4] == f"{(one < other).sum()} : {(one > other).sum()}"
    cards = [card for card in headline(page).iter("div") if card.get("class") == "card"]
    assert [spaced(card.findtext("b")) for card in cards] == [
        *row[1:3],
        row[3].split(" ± ")[0],
        f"{(one < other).sum()} of 12",
    ]
    words = [spaced(card.findtext("span")) for card in cards]
    assert words[0].endswith("of short") and words[1].endswith("of long <b>")
    assert words[2].endswith(row[3][row[3].index(" ± ") :])
    beside = {row[0]: row[1:] for row in cells(page, "Which is better", table=1)[1:]}
    evaluations = [run.evaluation for run in found.runs]
    for name in ("median", "worst"):
        assert beside[f"{name} error"] == [percent(getattr(e, name)) for e in evaluations]
    assert beside["mean field"] == [percent(e.mean_field_error) for e in evaluations]
    assert beside["parameters"] == [f"{e.parameters:,}" for e in evaluations]
    assert [text.split(", ")[1] for text in beside["training"]] == ["1 epochs", "4 epochs"]


def test_a_verdict_needs_more_than_the_spread_between_cases(found):
    errors = np.array(found.first.evaluation.per_sample)
    better = changed(found, per_sample=(0.5 * errors).tolist())
    assert verdict(better).startswith("long <b> is better: its mean error is 50.0 % smaller, it")
    assert "wins 12 of 12 cases" in verdict(better)
    mixed = errors + 0.1 * errors.mean() * np.resize([1, -1], len(errors))
    assert verdict(changed(found, per_sample=mixed.tolist())).startswith("No clear difference: ")
    few = Comparison(
        *(replace(r, evaluation=replace(r.evaluation, per_sample=[0.1] * 3)) for r in found.runs)
    )
    assert verdict(few) == "Too few cases to tell which is better: 3, of at least 8."


@pytest.fixture(scope="module")
def several(found):
    """Had they three fields that disagree, and other devices."""
    rows = np.array(found.first.evaluation.per_sample)
    fields = {name: rows.tolist() for name in ("u", "v", "w")}
    other = {"u": (2 * rows).tolist(), "v": (0.5 * rows).tolist(), "w": rows.tolist()}
    told = {"derived": {"drag": {"relative_error": 0.25}}, "seconds_per_sample": 2.0}
    told |= {"seconds_per_sample_batched": 1.0, "trust": Trusted(level=0.9, cases=4, error=0.5)}
    evaluation = replace(found.first.evaluation, field_errors=fields, **told)
    env = found.first.env | {"device": "abacus"}
    env["packages"] = env["packages"] | {"torch": "0.4"}
    found = replace(found, first=replace(found.first, evaluation=evaluation, env=env))
    symmetrized = Symmetrized(
        symmetries=8, relative_l2=0.125, median=0.1, worst=0.2, fields={}, seconds_per_sample=1.0
    )
    return changed(found, field_errors=other, symmetrized=symmetrized, trust=None)


def test_fields_that_disagree_are_told(found, several, tmp_path, undrawn):
    sentence = " Clearly better by field: short in u; long <b> in v."
    assert by_field(several) == sentence and by_field(found) == ""
    page = parsed(write_comparison(several, tmp_path / "page.html"))
    (told,) = (p for p in headline(page).iter("p") if p.get("class") == "verdict")
    assert spaced(told.text) == spaced(verdict(several) + sentence)
    rows = cells(page, "Which is better")[1:]
    assert [row[0] for row in rows] == ["u", "v", "w", "all fields"]
    clear = [row[5] for row in rows]
    assert clear[:3] == ["yes: short is better", "yes: long <b> is better", "no"]
    settings = {row[0]: row[1:] for row in cells(page, "What they differ in")[1:]}
    assert settings["device"] == ["abacus", found.second.env["device"]]
    assert settings["torch"] == ["0.4", found.second.env["packages"]["torch"]]
    beside = {row[0]: row[1:] for row in cells(page, "Which is better", table=1)[1:]}
    assert beside["averaged over symmetries"][1] == "12.5 %"
    assert beside["error of drag"] == ["25.0 %", "-"]
    assert beside["error bar of new cases"] == ["50.0 %", "-"]
    assert beside["one prediction"][0].startswith("2.0 s (")
    assert beside["in batches"][0] == "1.0 s"


def test_a_run_beside_itself_differs_in_nothing(found, tmp_path, undrawn):
    twice = Comparison(found.first, found.first)
    text = write_comparison(twice, tmp_path / "page.html").read_text()
    assert "No setting differs." in text and "No clear difference: " in text


def test_settings_that_differ_are_listed_and_no_others(found, page):
    rows = {row[0]: row[1:] for row in cells(page, "What they differ in")[1:]}
    assert rows["train.epochs"] == ["1", "4"] and rows["train.seed"] == ["0", "1"]
    assert rows["train.lr"] == ["0.001", "0.005"]
    assert set(rows) <= {"train.epochs", "train.seed", "train.lr"}


def test_runs_of_one_name_are_told_apart_by_their_folders(found):
    named = [
        replace(run, folder=run.folder.parent / str(number) / "x")
        for number, run in enumerate(found.runs)
    ]
    assert Comparison(*named).names == tuple(str(run.folder) for run in named)


def test_the_command_writes_a_page_beside_the_first_run_or_where_it_is_told(
    runs, tmp_path, capsys, undrawn
):
    names = [str(run) for run in runs]
    assert main(["report", *names]) == 0
    assert capsys.readouterr().out.strip() == str(runs[0] / "comparison.html")
    assert main(["report", *names, "-o", str(tmp_path / "both.html")]) == 0
    text = (tmp_path / "both.html").read_text()
    assert "long &lt;b&gt;" in text and '<b>"' not in text
    assert main(["report", names[0], "-o", str(tmp_path / "one.html")]) == 0
    assert (tmp_path / "one.html").is_file() and not (runs[0] / "report.html").exists()
    assert main(["report", *names, names[0]]) == 2
    assert "3 runs: llt report takes one, or two" in capsys.readouterr().err


def test_timed_runs_with_several_fields_are_compared_at_every_time(tmp_path, undrawn):
    data = flow((12,) * 5, times=2, timed_inputs=True, grid=(4, 3))
    found = Comparison(*(finished(trained(tmp_path, data, f"r{k}", seed=k)) for k in (0, 1)))
    assert [*found.errors] == ["pressure", "velocity", "all fields"]
    curves = times_figure(found).axes[0].lines
    for curve, run in zip(curves, found.runs, strict=False):
        assert list(curve.get_ydata()) == [100 * row["relative_l2"] for row in run.evaluation.times]
    page = parsed(write_comparison(found, tmp_path / "page.html"))
    assert [row[0] for row in cells(page, "Which is better")[1:]] == [*found.errors]
    guess = [100 * row["mean_field_error"] for row in found.first.evaluation.times]
    assert list(curves[2].get_ydata()) == guess
    assert {row[5] for row in cells(page, "Which is better")[1:]} == {"too few cases"}
    (article,) = page.iter("article")
    assert "pressure at t = 2: reference" in captions(article)
    assert f"speed = {data.parameters[-1, 0]:.4g} m/s; " in "".join(article.itertext())
    assert f"{data.parameters[-1, 0]:.4g}" in cells(page, "Cases")[1]
    assert "Over time" in [section.findtext("h2") for section in page.iter("section")]
    assert "Too few cases to tell" in "".join(page.itertext())
