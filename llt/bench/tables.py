"""The cost study as tables: the paper's columns, and what the paper found beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from rich import box
from rich.table import Table

from llt.bench.comparison import Comparison, compare
from llt.bench.cost import Row, fastest

# speedups in the paper's tables (one RTX 4090); Elasticity from a line it left out
PAPER_SPEEDUPS = {
    "4,096": 1.78,
    "8,192": 1.95,
    "16,384": 2.29,
    "32,768": 2.45,
    "65,536": 2.28,
    "elasticity": 0.94,
    "plasticity": 2.94,
    "airfoil": 3.97,
    "pipe": 4.14,
    "darcy": 2.05,
}


def cost_report(rows: Sequence[Row]) -> list[Table | str]:
    """The tables, then a line for every measurement that failed."""
    return [*cost_tables(compare(rows)), *failures(rows)]


def cost_tables(comparisons: Sequence[Comparison]) -> list[Table]:
    """One table per way of running, in the form of the paper's."""
    groups = groupby(comparisons, key=lambda entry: entry.way)
    return [_cost_table(way, list(entries)) for way, entries in groups]


def models_tables(rows: Sequence[Row]) -> list[Table]:
    """One table per case: every model in its fastest way."""
    tables = []
    for case, group in groupby(fastest(rows), key=lambda row: row.case):
        texts = [(r.model, str(r.way), *map(_or_dash, (r.ms, r.memory_mib))) for r in group]
        tables.append(plain_table(case, ("model", "way", "ms", "MiB"), texts))
    return tables


def failures(rows: Sequence[Row]) -> list[str]:
    """Each with its full reason."""
    return [f"{r.case} {r.model} {r.way}: {r.reason}" for r in rows if r.reason]


def roofline_table(result: dict[str, Any]) -> Table:
    """Milliseconds per part in every way, and how many times the floor that is."""
    ceilings = result["ceilings"]
    table = _table(
        f"LLT step, {result['case']} ({result['num_points']:,} points a sample); ceilings "
        f"{_number(ceilings['tflops'])} TFLOP/s, {_number(ceilings['gb_per_s'])} GB/s"
    )
    names = list(result["parts"][0]["ms"])
    for title in ("part", "bound by"):
        table.add_column(title)
    for title in ("GFLOP", "MiB", "floor ms", *(f"{name} ms" for name in names)):
        table.add_column(title, justify="right")
    for row in result["parts"]:
        name = row["part"] if row["count"] == 1 else f"{row['count']} {row['part']}"
        numbers = (_number(row[key]) for key in ("gflop", "mib", "floor_ms"))
        times = (_times_floor(row["ms"][way], row["floor_ms"]) for way in names)
        table.add_row(name, row["bound"] or "", *numbers, *times)
    return table


def plain_table(title: str, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A column of names, then columns of numbers."""
    table = _table(title)
    for place, name in enumerate(titles):
        table.add_column(name, justify="right" if place else "left")
    for row in rows:
        table.add_row(*row)
    return table


def _cost_table(way: str, entries: list[Comparison]) -> Table:
    best, named = way == "best", any(not entry.case[0].isdigit() for entry in entries)
    table = _table("each model at its fastest" if best else way)
    if named:
        table.add_column("problem")
    for title in ("N", "LLT ms", "Transolver ms", "LLT MiB", "Transolver MiB", "speedup", "paper"):
        table.add_column(title, justify="right")
    if best:
        table.add_column("modes")
    for entry in entries:
        sides = (entry.llt, entry.transolver)
        table.add_row(
            *([entry.case] if named else []),
            f"{entry.num_points:,}",
            *map(_ms, sides),
            *map(_mib, sides),
            _times(entry.speedup),
            _times(PAPER_SPEEDUPS.get(entry.case)),
            *([" / ".join(str(row.way) for row in sides if row)] if best else []),
        )
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)


def _ms(row: Row | None) -> str:
    if row is None:
        return "-"
    if row.ms is None:
        return "out of memory" if row.reason == "out of memory" else "failed"
    return _number(row.ms)


def _mib(row: Row | None) -> str:
    return "-" if row is None or row.memory_mib is None else f"{row.memory_mib:.0f}"


def _times(factor: float | None) -> str:
    return "-" if factor is None else f"{factor:.2f}x"


def _times_floor(ms: float | str | None, floor: float) -> str:
    if ms is None:
        return "-"
    return ms[:24] if isinstance(ms, str) else f"{_number(ms)} ({ms / floor:.1f}x)"


def _or_dash(value: float | None) -> str:
    return "-" if value is None else _number(value)


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"
