"""A race as a table and as a figure, both made from the results in its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from llt.bench.figures import COLORS, label_values, legend

TITLES = ("", "epochs", "start-up", "target reached", "best validation error", "test error")
DASHES = {"paper": "--"}  # color tells the model, dashes the paper's recipe


def race_rows(results: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """One per contender, below TITLES."""
    return [
        (
            entry["title"],
            str(entry["settings"]["train"]["epochs"]),
            duration(entry["startup_seconds"]),
            duration(entry["seconds_to_target"]),
            f"{entry['best_val_error']:.5f} after {duration(entry['best_seconds'])}",
            f"{entry['test_error']:.5f}",
        )
        for entry in results["contenders"].values()
    ]


def verdict(results: Mapping[str, Any]) -> str:
    """The race in one line."""
    target, factor = results["target"], results.get("times_sooner")
    if factor is None:
        return f"target: validation error {target:g}"
    return f"LLT (best) reaches {target:g} {factor:.1f} times sooner than Transolver its best error"


def race_figure(results: Mapping[str, Any]) -> Figure:
    """Validation error over seconds, both logarithmic, the target as a line."""
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    for name, entry in results["contenders"].items():
        _curve(axes, name, entry)
    axes.axhline(results["target"], color="0.4", linewidth=0.8, linestyle=":")
    axes.annotate(
        f"{results['target']:g}",
        (1, results["target"]),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 3),
        textcoords="offset points",
        ha="right",
        fontsize=8,
        color="0.3",
    )
    axes.set(xscale="log", xlabel="seconds of training", ylabel="validation error (relative L2)")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    label_values(axes)
    axes.grid(alpha=0.25)
    legend(figure)
    return figure


def _curve(axes: Axes, name: str, entry: Mapping[str, Any]) -> None:
    color, reached = COLORS[entry["model"]], entry["seconds_to_target"]
    seconds, errors = entry["curve"]["seconds"], entry["curve"]["val_error"]
    axes.plot(
        seconds,
        errors,
        color=color,
        linestyle=DASHES.get(name, "-"),
        marker="." if len(seconds) == 1 else None,
        label=f"{entry['title']}, start-up {duration(entry['startup_seconds'])}",
    )
    if reached is not None:
        axes.plot(reached, errors[seconds.index(reached)], "o", color=color, markersize=5)


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "never"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
