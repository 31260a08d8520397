"""Small training sets as a table and as a figure, both made from the cells of a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from llt.bench.figures import COLORS, MARKERS, TITLES, label_values, legend

Cells = Mapping[str, Mapping[str, Any]]
Entry = tuple[str, str, str]  # model, recipe, preset
WIDTH = 0.7  # of a problem's place that its markers fill


def small_table(cells: Cells) -> tuple[list[str], list[tuple[str, ...]]]:
    """Titles and rows: a row for every set, a column for every model and recipe."""
    entries = _entries(cells)
    found = {(c["data"], c["samples"], _entry(c)): c for c in cells.values()}
    rows = []
    for data, samples in _sets(cells):
        here = [found.get((data, samples, entry)) for entry in entries]
        mean_field = next(cell["mean_field_error"] for cell in here if cell)
        row = (data, str(samples), f"{mean_field:.4f}", *map(_result, here))
        rows.append(row)
    return ["data", "samples", "mean field", *map(_title, entries)], rows


def small_figure(cells: Cells) -> Figure:
    """A panel for every number of samples; in it a place for every problem."""
    numbers = sorted({cell["samples"] for cell in cells.values()})
    names = sorted({cell["data"] for cell in cells.values()})
    width = 1.5 + max(1.6, 0.9 * len(names)) * len(numbers)
    figure = Figure(figsize=(max(width, 5.0), 3.8), layout="constrained")
    panels = figure.subplots(1, len(numbers), squeeze=False, sharey=True)[0]
    for axes, number in zip(panels, numbers, strict=True):
        here = {name: cell for name, cell in cells.items() if cell["samples"] == number}
        _panel(axes, here, names, _entries(cells))
        axes.set_title(f"{number} training samples", fontsize=10)
    panels[0].set_ylabel("test error (relative L2)")
    legend(figure)
    return figure


def _panel(axes: Axes, cells: Cells, names: list[str], entries: list[Entry]) -> None:
    for number, entry in enumerate(entries):
        model, recipe, _ = entry
        shown = [cell for cell in cells.values() if _entry(cell) == entry]
        offset = WIDTH * ((number + 0.5) / len(entries) - 0.5)
        axes.plot(
            [names.index(cell["data"]) + offset for cell in shown],
            [cell["test_error"] for cell in shown],
            linestyle="none",
            marker=MARKERS.get(model, "D"),
            color=COLORS.get(model, "0.3"),
            markerfacecolor=COLORS.get(model, "0.3") if recipe == "best" else "white",
            label=_title(entry),
        )
    levels = {names.index(cell["data"]): cell["mean_field_error"] for cell in cells.values()}
    starts, ends = ([place + side for place in levels] for side in (-WIDTH / 2, WIDTH / 2))
    axes.hlines(list(levels.values()), starts, ends, color="0.5", label="mean field")
    axes.set_xticks(range(len(names)), [name.capitalize() for name in names], fontsize=8)
    axes.set_xlim(-0.6, len(names) - 0.4)
    label_values(axes)
    axes.grid(alpha=0.25, axis="y")


def _sets(cells: Cells) -> list[tuple[str, int]]:
    """In the order of the names, then of the numbers of samples."""
    return sorted({(cell["data"], cell["samples"]) for cell in cells.values()})


def _entries(cells: Cells) -> list[Entry]:
    """Models and recipes, LLT first."""
    entries = {_entry(cell) for cell in cells.values()}
    return sorted(entries, key=lambda entry: (entry[0] != "llt", entry))


def _entry(cell: Mapping[str, Any]) -> Entry:
    return cell["model"], cell["recipe"], cell["preset"]


def _title(entry: Entry) -> str:
    model, *how = entry
    return f"{TITLES.get(model, model)} ({', '.join(filter(None, how))})"


def _result(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return ""
    parameters = cell["parameters"] / 1e6
    return f"{cell['test_error']:.4f} ({parameters:.2f} M, {cell['steps']:,} steps)"
