"""The accuracy study's figures show its records, and are drawn again when these change."""

from itertools import pairwise
from pathlib import Path

import pytest

from llt.bench.accuracy_figures import apart, is_current, panels, study_figure, write_figures
from llt.bench.record import read_records
from tests.bench.studies import cell, diverged, records, study

ROOT = Path(__file__).parents[2]
TIME, SIZE = "seconds of training, alone on the device", "million parameters (tier 1)"
CELLS = [
    cell("llt", 0.1, parameters=1_000_000),
    cell("fno", 0.2, parameters=2_000_000),
    cell("fno", 0.9, recipe="paper"),
    diverged("ono"),
    cell("lno"),
    *(cell("llt", e, tier=2, seed=s) for s, e in enumerate((0.05, 0.07))),
    cell("llt", 0.3, data="pipe"),
]
ALONE = {"darcy-llt-best-20": 30.0, "darcy-llt-best-50": 75.0}


def test_lines_are_budgets_and_points_are_sizes():
    shown = panels(records(study(*CELLS, alone=ALONE)))
    (ours,) = shown["darcy"][TIME]
    assert (ours.costs, ours.errors) == ((30.0, 75.0), [0.1, pytest.approx(0.06)])
    assert ours.spreads == [0.0, pytest.approx(0.01414, rel=1e-3)]
    assert [(line.model, line.costs, line.errors) for line in shown["darcy"][SIZE]] == [
        ("fno", (2.0,), [0.2]),
        ("llt", (1.0,), [0.1]),
    ]
    assert [*shown["pipe"]] == [SIZE]  # nobody has measured its seconds


def test_both_axes_are_logarithmic_and_all_models_are_named():
    time, size = study_figure(panels(records(study(*CELLS, alone=ALONE)))["darcy"]).axes
    assert (time.get_xlabel(), size.get_xlabel()) == (TIME, SIZE)
    assert {axes.get_xscale() for axes in (time, size)} == {"log"} == {size.get_yscale()}
    assert [text.get_text() for text in size.texts] == ["LLT", "FNO"]
    assert [text.get_fontweight() for text in size.texts] == ["bold", "normal"]


def test_names_keep_their_order_and_their_distance():
    places = apart([0.1, 0.11, 0.12, 0.8, 0.999, 1.0])
    assert places[3] == pytest.approx(0.8)
    assert all(high - low > 0.0549 for low, high in pairwise(places))
    assert min(places) >= 0 and max(places) <= 1
    assert sum(places[:3]) / 3 == pytest.approx(0.11)  # where they would be, on the mean
    many = apart([0.5] * 40)
    assert many[0] == pytest.approx(0) and many[-1] == pytest.approx(1)


def test_a_figure_is_drawn_again_when_what_it_shows_changes(tmp_path):
    found = records(study(*CELLS))
    names = ["study-darcy.png", "study-pipe.png"]
    assert sorted(path.name for path in write_figures(tmp_path, found)) == names
    assert all(path.read_bytes()[1:4] == b"PNG" for path in tmp_path.glob("docs/figures/*"))
    assert write_figures(tmp_path, found) == []
    (changed,) = write_figures(tmp_path, records(study(*CELLS, alone=ALONE)))
    assert changed == tmp_path / "docs/figures/study-darcy.png"


def test_the_figures_of_the_documents_show_the_records():
    for problem, shown in panels(read_records(ROOT / "benchmarks")).items():
        path = ROOT / f"docs/figures/study-{problem}.png"
        assert is_current(path, shown), "run: llt bench tables"
