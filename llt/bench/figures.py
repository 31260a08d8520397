"""The paper's two cost figures: time and memory over the points, and per problem."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from llt.bench.authors import NAME as AUTHORS
from llt.bench.case import MODELS
from llt.bench.comparison import Comparison
from llt.bench.cost import Row

TITLES = {
    "llt": "LLT",
    "factformer": "FactFormer",
    "ffno": "F-FNO",
    "flare": "FLARE",
    "fno": "FNO",
    "galerkin": "Galerkin",
    "geofno": "GeoFNO",
    "gnot": "GNOT",
    "htnet": "HT-Net",
    "linearno": "LinearNO",
    "lno": "LNO",
    "lrsa": "LRSA",
    "lsm": "LSM",
    "oformer": "OFormer",
    "ono": "ONO",
    "transolver": "Transolver",
    AUTHORS: "Transolver, authors' code",
    "transolver_plus_plus": "Transolver++",
    "ufno": "U-FNO",
    "uno": "U-NO",
}
COLORS = {
    "llt": "#2a6fbb",
    "transolver": "#d9822b",
    AUTHORS: "#8a5a2b",
    "fno": "#3f9c5a",
    "geofno": "#3f9c5a",
}
MARKERS = {"llt": "o", "transolver": "s", AUTHORS: "D", "fno": "^", "geofno": "^"}
# color tells the model, dashes the mode, a filled marker the fused kernels
DASHES = {"eager": "-", "graph": "-.", "compile": "--"}

Value = Callable[[Row], float | None]
PANELS: dict[str, Value] = {
    "time per iteration (ms)": lambda row: row.ms,
    "peak memory (MiB)": lambda row: row.memory_mib,
}


def curves_figure(rows: Sequence[Row]) -> Figure:
    """Time and memory over the number of points, one line per model and way."""
    runs = list(dict.fromkeys((row.model, row.way) for row in rows))
    figure = _figure(rows)
    for axes, value in _panels(figure):
        for model in (*MODELS, AUTHORS):
            for way in (way for owner, way in runs if owner == model):
                _line(axes, [r for r in rows if (r.model, r.way) == (model, way)], value)
        axes.set(xscale="log", xlabel="points N")
        _label_points(axes, sorted({row.num_points for row in rows}))
        if any(value(row) for row in rows):  # a logarithmic axis cannot be empty
            label_values(axes)
        axes.grid(alpha=0.25)
    legend(figure)
    return figure


def bars_figure(comparisons: Sequence[Comparison]) -> Figure:
    """Time and memory per problem, both models side by side, the speedup above each pair."""
    rows = [row for entry in comparisons for row in (entry.llt, entry.transolver) if row]
    figure = _figure(rows)
    for axes, value in _panels(figure):
        for offset, model in zip((-0.2, 0.2), MODELS, strict=True):
            sides: list[Row | None] = [getattr(entry, model) for entry in comparisons]
            heights = [(side and value(side)) or 0 for side in sides]
            places = [place + offset for place in range(len(heights))]
            axes.bar(places, heights, width=0.38, color=COLORS[model], label=TITLES[model])
        names = [f"{entry.case.capitalize()}\n{entry.num_points:,}" for entry in comparisons]
        axes.set_xticks(range(len(names)), names, fontsize=8)
        axes.grid(alpha=0.25, axis="y")
        axes.set_axisbelow(True)
        axes.margins(y=0.15)
    _annotate_speedups(figure.axes[0], comparisons)
    legend(figure)
    return figure


def png(figure: Figure, mark: str = "") -> bytes:
    """With a mark among its metadata."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Description": mark} if mark else None)
    return buffer.getvalue()


def _figure(rows: Sequence[Row]) -> Figure:
    """Room for one panel per quantity that was measured at all."""
    panels = [label for label, value in PANELS.items() if any(value(r) for r in rows)]
    panels = panels or list(PANELS)[:1]
    figure = Figure(figsize=(5.0 * len(panels), 3.8), layout="constrained")
    for axes, label in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        axes.set_ylabel(label)
    return figure


def _panels(figure: Figure) -> Iterator[tuple[Axes, Value]]:
    for axes in figure.axes:
        yield axes, PANELS[axes.get_ylabel()]


def _line(axes: Axes, rows: Sequence[Row], value: Value) -> None:
    model, way = rows[0].model, rows[0].way
    axes.plot(
        [row.num_points for row in rows],
        [value(row) or float("nan") for row in rows],
        color=COLORS[model],
        linestyle=DASHES[way.mode],
        marker=MARKERS[model],
        markersize=5,
        markerfacecolor=COLORS[model] if way.kernels == "fused" else "white",
        label=f"{TITLES[model]}, {way}",
    )


def legend(figure: Figure) -> None:
    """Below the panels, where no line can cross it: all panels share it."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        handlelength=3.5,
        ncols=min(len(labels), 2 * len(figure.axes)),
        frameon=False,
        fontsize=8,
    )


def _label_points(axes: Axes, points: list[int]) -> None:
    """Ticks where something was measured, every other one where they are many."""
    shown = points[:: -(-len(points) // 8)]
    axes.xaxis.set_major_locator(FixedLocator(shown))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.tick_params(axis="x", labelsize=8, rotation=30 if len(shown) > 4 else 0)


def label_values(axes: Axes) -> None:
    """A logarithmic axis of values, with numbers as they are written."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _annotate_speedups(axes: Axes, comparisons: Sequence[Comparison]) -> None:
    for place, entry in enumerate(comparisons):
        if entry.speedup is not None and entry.llt and entry.transolver:
            top = max(entry.llt.ms or 0, entry.transolver.ms or 0)
            axes.annotate(
                f"{entry.speedup:.2f}x",
                (place, top),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=9,
            )
