"""Tables show what was measured, and the reason where nothing was."""

import io

from rich.console import Console

from llt.bench.comparison import compare
from llt.bench.tables import cost_tables, failures, roofline_table
from tests.bench.sizes import row


def text_of(*parts) -> str:
    console = Console(width=120, file=io.StringIO())
    for part in parts:
        console.print(part)
    return console.file.getvalue()


def cells(text: str, first: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.split()[:1] == [first]]
    return line.split()


def test_the_paper_s_columns():
    rows = [
        row("darcy", points=7225, ms=23.12, memory_mib=2228.4),
        row("darcy", "transolver", points=7225, ms=473.2, memory_mib=2239),
    ]
    (table,) = cost_tables(compare(rows))
    assert cells(text_of(table), "darcy") == [
        *("darcy", "7,225", "23.1", "473"),
        *("2228", "2239", "20.47x", "2.05x"),
    ]


def test_grids_are_named_by_their_points():
    rows = [row("4,096", points=4096, ms=1.0), row("4,096", "transolver", points=4096, ms=2.0)]
    (table,) = cost_tables(compare(rows))
    assert cells(text_of(table), "4,096") == ["4,096", "1", "2", "-", "-", "2.00x", "1.78x"]


def test_one_table_per_way_and_the_best_says_which():
    rows = [
        row(ms=4.0),
        row(model="transolver", ms=6.0),
        row(mode="graph", ms=2.0),
        row(model="transolver", mode="graph", ms=8.0),
    ]
    tables = cost_tables(compare(rows))
    assert [table.title for table in tables] == ["eager", "graph", "each model at its fastest"]
    assert "graph / eager" in text_of(tables[-1])


def test_failures_are_shown_in_place_and_in_full():
    rows = [
        row(reason="out of memory"),
        row(model="transolver", reason="BackendCompilerFailed: no C compiler"),
    ]
    (table,) = cost_tables(compare(rows))
    assert cells(text_of(table), "darcy")[2:7] == ["out", "of", "memory", "failed", "-"]
    assert failures(rows) == [
        "darcy llt eager: out of memory",
        "darcy transolver eager: BackendCompilerFailed: no C compiler",
    ]


def test_roofline_shows_times_as_multiples_of_the_floor():
    part = {"count": 8, "gflop": 5.09, "mib": 41.2, "floor_ms": 0.5, "bound": "bytes"}
    times = {"eager": 2.0, "graph": "out of memory", "graph fused": None}
    result = {
        "case": "darcy",
        "num_points": 7225,
        "ceilings": {"tflops": 700.0, "gb_per_s": 4300.0},
        "parts": [{"part": "blocks", **part, "ms": times}],
    }
    text = text_of(roofline_table(result))
    assert "700 TFLOP/s, 4300 GB/s" in text
    assert cells(text, "8") == [
        *("8", "blocks", "bytes", "5.09", "41.2", "0.5"),
        *("2", "(4.0x)", "out", "of", "memory", "-"),
    ]
