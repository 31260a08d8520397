"""What the figures show is what was measured."""

import math

from llt.bench.comparison import compare
from llt.bench.figures import bars_figure, curves_figure, png
from tests.bench.sizes import row

ROWS = [
    row("64", points=64, ms=1.0, memory_mib=10.0),
    row("64", "transolver", points=64, ms=2.0, memory_mib=11.0),
    row("128", points=128, ms=3.0, memory_mib=20.0),
    row("128", "transolver", points=128, reason="out of memory"),
]


def test_lines_are_the_rows_and_failures_are_gaps():
    figure = curves_figure(ROWS)
    time, memory = figure.axes
    assert (time.get_xscale(), time.get_yscale()) == ("log", "log")
    llt, transolver = time.lines
    assert llt.get_label() == "LLT, eager"
    assert list(llt.get_xdata()) == [64, 128]
    assert list(llt.get_ydata()) == [1, 3]
    assert transolver.get_ydata()[0] == 2
    assert math.isnan(transolver.get_ydata()[1])
    assert list(memory.lines[0].get_ydata()) == [10, 20]
    assert png(figure).startswith(b"\x89PNG")


def test_every_way_has_its_line():
    rows = [
        row("64", mode=m, kernels=k, ms=1.0)
        for m, k in [("graph", "reference"), ("graph", "fused")]
    ]
    (axes,) = curves_figure(rows).axes
    assert [line.get_label() for line in axes.lines] == ["LLT, graph", "LLT, graph fused"]
    looks = [(line.get_linestyle(), line.get_markerfacecolor()) for line in axes.lines]
    assert looks[0] != looks[1]


def test_without_memory_there_is_no_memory_panel():
    (axes,) = curves_figure([row("64", points=64, ms=1.0)]).axes
    assert axes.get_ylabel() == "time per iteration (ms)"


def test_bars_stand_in_pairs_under_their_speedup():
    rows = [
        row("darcy", points=7225, ms=2.0, memory_mib=5.0),
        row("darcy", "transolver", points=7225, ms=6.0, memory_mib=7.0),
        row("pipe", points=16641, reason="out of memory"),
        row("pipe", "transolver", points=16641, ms=1.0, memory_mib=1.0),
    ]
    time, memory = bars_figure(compare(rows)).axes
    assert [bar.get_height() for bar in time.patches] == [2, 0, 6, 1]
    assert [bar.get_height() for bar in memory.patches] == [5, 0, 7, 1]
    assert [note.get_text() for note in time.texts] == ["3.00x"]
    assert [tick.get_text() for tick in time.get_xticklabels()] == ["Darcy\n7,225", "Pipe\n16,641"]


def test_a_study_in_which_all_failed_still_has_a_figure():
    rows = [row("64", points=64, reason="no"), row("64", "transolver", points=64, reason="no")]
    assert png(curves_figure(rows))
    assert png(bars_figure(compare(rows)))
