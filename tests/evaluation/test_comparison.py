"""Two runs side by side: what is said of them was computed case by case; others are refused."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from matplotlib.figure import Figure

from llt.cli import main
from llt.data import dataset_file
from llt.data.splits import Splits
from llt.errors import ConfigError
from llt.evaluation import comparison_cases, evaluate, map_section
from llt.evaluation.comparison import Comparison
from llt.evaluation.comparison_cases import choose, pictures_section, table_section
from llt.evaluation.comparison_figures import (
    differences_figure,
    pairs_figure,
    times_figure,
    training_figure,
)
from llt.evaluation.comparison_report import write_comparison
from llt.evaluation.comparison_words import by_field, signed, verdict
from llt.evaluation.finished import FinishedRun
from llt.evaluation.kept import keep_evaluation
from llt.evaluation.metrics import Symmetrized, question
from llt.evaluation.panels import nice
from llt.evaluation.trust import Trusted
from llt.evaluation.verdict import percent
from llt.training import TrainConfig, train
from tests.conftest import darcy_like
from tests.data.kinds import flow
from tests.evaluation.test_report import MODEL, captions, cells, headline, parsed, spaced

SVG = "{http://www.w3.org/2000/svg}"


def trained(folder, data, name, **settings):
    if not (folder / "set.h5").exists():
        dataset_file.write(folder / "set.h5", data)
    config = TrainConfig(**{"epochs": 1, "batch_size": 2} | settings)
    run = train(folder / "set.h5", folder / name, model_settings=MODEL, config=config)
    keep_evaluation(run, evaluate(run))
    return run


def data_of(num_test=12):
    data = darcy_like(num=16 + num_test)
    return replace(data, splits=Splits.consecutive(12, 4, num_test))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [
        trained(folder, data_of(), "short"),
        trained(folder, data_of(), "long <b>", epochs=4, lr=5e-3, seed=1),
    ]


def finished(run):
    return FinishedRun.read(run, evaluate(run), "cpu", None)


@pytest.fixture(scope="module")
def found(runs):
    return Comparison(*map(finished, runs))


@pytest.fixture(scope="module")
def page(found, tmp_path_factory):
    return parsed(write_comparison(found, tmp_path_factory.mktemp("page") / "page.html"))


def changed(found, **errors):
    """The same comparison, had the second run had other errors."""
    second = found.second
    return Comparison(found.first, replace(second, evaluation=replace(second.evaluation, **errors)))


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


def test_the_same_cases_are_drawn_by_both_on_one_scale(found, page):
    assert len([*page.iter("article")]) == len(choose(found)) >= 2
    wanted = ["pressure: reference", "given: permeability"]
    for name in found.names:
        wanted += [f"pressure: prediction of {name}", f"pressure: error of {name}"]
    for article in page.iter("article"):
        assert captions(article) == wanted
        drawn = article.iter(f"{SVG}svg")
        texts = [[text.text for text in one.iter(f"{SVG}text")] for one in drawn]
        assert texts[3] == texts[5]  # the ticks of both errors
    maps = [c for c in captions(page) if "mean |error|" in c]
    assert maps == [f"pressure: mean |error| of {name}" for name in found.names]


def test_every_run_is_drawn_with_its_own_predictions(found, monkeypatch):
    found, drawn = Comparison(found.second, found.first), []  # larger errors come second
    monkeypatch.setattr(comparison_cases, "panel_figure", lambda panel: panel)
    monkeypatch.setattr(comparison_cases, "svg", lambda *one: drawn.append(one) or "")
    pictures_section(found)
    indices = [found.first.evaluation.indices[place] for place in choose(found)]
    samples = [found.first.data.sample(index) for index in indices]
    size, errors = np.ptp([sample.outputs for sample in samples]), []
    shown = iter(drawn)
    for sample in samples:
        wanted = {"pressure: reference": sample.outputs, "given: permeability": sample.inputs}
        for run, name in zip(found.runs, found.names, strict=True):
            u = run.surrogate.predict(*question(run.data, sample)).reshape(-1, 1)
            errors.append(100 * (u - sample.outputs) / size)
            wanted[f"pressure: prediction of {name}"] = u
            wanted[f"pressure: error of {name}"] = errors[-1]
        panels = {name: panel for panel, name in islice(shown, len(wanted))}
        assert panels.keys() == wanted.keys()
        for caption, values in wanted.items():
            panel = panels[caption]
            np.testing.assert_allclose(panel.values, values[:, 0], rtol=1e-3, atol=1e-5)
    limit = nice(float(np.quantile(np.abs(errors), 0.995)))
    ends = {panel.scale.norm.vmax for panel, name in drawn if ": error of " in name}
    assert ends == {limit} and not [*shown]


def test_every_run_has_its_own_error_map_on_one_scale(found, tmp_path, monkeypatch, undrawn):
    drawn = []
    monkeypatch.setattr(map_section, "panel_figure", lambda panel: drawn.append(panel) or Figure())
    write_comparison(found, tmp_path / "page.html")
    assert len({panel.scale.norm.vmax for panel in drawn}) == 1
    for panel, run in zip(drawn, found.runs, strict=True):
        np.testing.assert_array_equal(panel.values, run.evaluation.error_maps.values("pressure"))


def test_cases_are_listed_with_what_is_known_of_them(found):
    (table, *_) = ET.fromstring(f"<section>{table_section(found).body}</section>").iter("table")
    head, *rows = [[spaced("".join(cell.itertext())) for cell in row] for row in table.iter("tr")]
    assert head == ["sample", "short", "long <b>", "difference", "drawn"]
    one, other = (np.array(run.evaluation.per_sample) for run in found.runs)
    order = [*np.argsort(-np.abs(one - other), kind="stable")]
    chosen = choose(found)
    places = [place for rank, place in enumerate(order) if rank < 5 or place in chosen]
    for row, place in zip(rows, places, strict=True):
        index = str(found.first.evaluation.indices[place])
        assert row[:3] == [index, percent(one[place]), percent(other[place])]
        assert row[3:] == [spaced(signed(one[place] - other[place])), chosen.get(place, "")]


def test_cases_are_named_by_what_they_are(found):
    errors = np.array(found.first.evaluation.per_sample)
    chosen = choose(changed(found, per_sample=(2 * errors).tolist()))
    worst, least = int(errors.argmax()), int(errors.argmin())
    names = "worst of long <b>, where short is ahead most"
    assert chosen == {
        worst: f"Worst of short, {names}",
        least: "Where long <b> is behind least",
    }


def test_settings_that_differ_are_listed_and_no_others(found, page):
    rows = {row[0]: row[1:] for row in cells(page, "What they differ in")[1:]}
    assert rows["train.epochs"] == ["1", "4"] and rows["train.seed"] == ["0", "1"]
    assert rows["train.lr"] == ["0.001", "0.005"]
    assert set(rows) <= {"train.epochs", "train.seed", "train.lr"}


def test_curves_lie_over_each_other(found):
    for over in ("epoch", "seconds"):
        (axes,) = training_figure(found, over=over).axes
        curves = [line for line in axes.lines if line.get_label() in found.names]
        for curve, run in zip(curves, found.runs, strict=True):
            assert list(curve.get_ydata()) == [row["val_error"] for row in run.metrics]
            assert list(curve.get_xdata()) == [row[over] for row in run.metrics]
        assert len({line.get_color() for line in curves}) == 2
        kept = [line.get_xdata()[0] for line in axes.lines if line not in curves]
        assert kept == [
            row[over]
            for run in found.runs
            for row in run.metrics
            if row["epoch"] == run.evaluation.checkpoint["epoch"]
        ]


def test_cases_are_counted_where_each_run_is_better(found):
    errors = found.first.evaluation.per_sample
    found = changed(found, per_sample=errors[::-1])
    one, other = (100 * np.array(run.evaluation.per_sample) for run in found.runs)
    (axes,) = pairs_figure(found).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == (
        "error of short in %",
        "error of long <b> in %",
    )
    parts = {part.get_label(): part for part in axes.collections}
    better = {f"short is better: {(one < other).sum()}": one < other}
    better[f"long <b> is better: {(one > other).sum()}"] = one > other
    assert all(here.any() for here in better.values())
    assert parts.keys() == better.keys()
    for label, here in better.items():
        expected = np.stack([one[here], other[here]], axis=-1)
        np.testing.assert_allclose(parts[label].get_offsets(), expected)
    wide = changed(found, per_sample=[0.001 * errors[0], *errors[1:]])
    assert [pairs_figure(z).axes[0].get_xscale() for z in (found, wide)] == ["linear", "log"]


def test_differences_are_drawn_around_their_mean_with_its_interval(found):
    (axes,) = differences_figure(found).axes
    one, other = (100 * np.array(run.evaluation.per_sample) for run in found.runs)
    assert axes.get_xlabel() == "error of short minus that of long <b> in %"
    zero, mean = (line.get_xdata()[0] for line in axes.lines)
    assert zero == 0 and mean == pytest.approx((one - other).mean())
    bars = [bar.get_x() for bar in axes.patches if bar.get_label() != "95 % of the mean"]
    assert min(bars) == pytest.approx((one - other).min())
    (span,) = (bar for bar in axes.patches if bar.get_label() == "95 % of the mean")
    half = 2.201 * (one - other).std(ddof=1) / np.sqrt(12)  # Student's t, of 11 degrees of freedom
    assert span.get_width() == pytest.approx(2 * half, rel=1e-3)


def test_runs_of_one_name_are_told_apart_by_their_folders(found):
    named = [
        replace(run, folder=run.folder.parent / str(number) / "x")
        for number, run in enumerate(found.runs)
    ]
    assert Comparison(*named).names == tuple(str(run.folder) for run in named)


def test_what_cannot_be_compared_is_refused_with_the_reason(found):
    second = found.second
    for name, value, reason in (
        ("data_hash", "abc", "trained on different data, of hash .* and abc"),
        ("split_hash", "abc", "their data are split differently, by hash .* and abc"),
        ("split", "val", "evaluated on different splits, test and val"),
        ("indices", [1], "evaluated on different samples of the data, 12 of them and 1 of them"),
        ("times", [{"t": 1.0}], "different times, 0 and 1 of them, as those of rollouts"),
    ):
        other = replace(second, evaluation=replace(second.evaluation, **{name: value}))
        with pytest.raises(ConfigError, match=f"short and .*cannot stand side by side: .*{reason}"):
            Comparison(found.first, other)


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


def test_other_problems_are_refused_in_one_line(runs, tmp_path, capsys):
    other = trained(tmp_path, flow((12,) * 5, own_points=False, grid=(4, 3)), "flow")
    assert main(["report", str(runs[0]), str(other)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "they solve different problems, darcy: " in line


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
