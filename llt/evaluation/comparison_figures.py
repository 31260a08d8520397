"""Curves of two runs over each other, the first blue, the second orange."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from llt.evaluation.comparison import Comparison
from llt.evaluation.figures import WIDE, legend, new_figure, percent_axis
from llt.evaluation.svg import BLUE, GRAY, ORANGE, RED, plain

COLORS = (BLUE, ORANGE)


def training_figure(found: Comparison, *, over: str) -> Figure:
    """Validation errors over the epochs or the seconds of training, the kept weights marked."""
    figure, axes = new_figure()
    axes.set_yscale("log")
    for run, name, color in zip(found.runs, _names(found), COLORS, strict=True):
        rows, best = run.metrics, run.evaluation.checkpoint
        marker = "o" if len(rows) == 1 else ""
        x, y = ([row[key] for row in rows] for key in (over, "val_error"))
        axes.plot(x, y, color=color, label=name, linewidth=1.4, marker=marker)
        for row in rows:
            if row["epoch"] == best.get("epoch"):
                axes.plot(row[over], row["val_error"], "o", color=color, markersize=5)
    axes.set_xlabel("epoch" if over == "epoch" else "seconds of training")
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=over == "epoch"))
    percent_axis(axes, "validation error")
    legend(figure)
    return figure


def pairs_figure(found: Comparison) -> Figure:
    """Every case by its two errors; below the line the second is better."""
    figure, axes = new_figure()
    x, y = (100 * np.array(run.evaluation.per_sample) for run in found.runs)
    better = x < y
    names = _names(found)
    for part, color, name in ((better, BLUE, names[0]), (~better, ORANGE, names[1])):
        if part.any():
            label = f"{name} is better: {int(part.sum())}"
            axes.scatter(x[part], y[part], s=14, color=color, alpha=0.8, label=label)
    everything = np.concatenate([x, y])
    low, high = float(everything.min()), float(everything.max())
    if high > WIDE / 3 * low > 0:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ends = [low - 0.03 * (high - low), high + 0.03 * (high - low)]
    ends[0] = ends[0] if ends[0] > 0 else low
    axes.plot(ends, ends, color=GRAY, linewidth=0.9, linestyle="--")
    axes.set_xlabel(f"error of {names[0]} in %")
    axes.set_ylabel(f"error of {names[1]} in %")
    legend(figure)
    return figure


def differences_figure(found: Comparison) -> Figure:
    """How much larger the first's error is than the second's, of all cases."""
    figure, axes = new_figure()
    one, other = (np.array(run.evaluation.per_sample) for run in found.runs)
    differences = 100 * (one - other)
    axes.hist(differences, bins=min(40, max(8, len(one) // 4)), color=GRAY, alpha=0.85)
    paired = found.whole
    axes.axvline(0, color=GRAY, linewidth=0.9, linestyle="--")
    if paired.spread is not None:
        ends = [100 * (paired.difference + sign * paired.spread) for sign in (-1, 1)]
        axes.axvspan(*ends, color=RED, alpha=0.15, linewidth=0, label="95 % of the mean")
    axes.axvline(100 * paired.difference, color=RED, linewidth=1.2, label="mean")
    names = _names(found)
    axes.set_xlabel(f"error of {names[0]} minus that of {names[1]} in %")
    axes.set_ylabel("samples")
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    legend(figure)
    return figure


def times_figure(found: Comparison) -> Figure:
    """Mean errors at every time, of all fields together."""
    figure, axes = new_figure()
    values: list[float] = []
    for run, name, color in zip(found.runs, _names(found), COLORS, strict=True):
        rows = run.evaluation.times
        errors = [100 * row["relative_l2"] for row in rows]
        marker = "o" if len(rows) == 1 else ""
        axes.plot(_moments(rows), errors, color=color, label=name, linewidth=1.4, marker=marker)
        values += errors
    rows = found.first.evaluation.times
    guess = [100 * row["mean_field_error"] for row in rows]
    look = {"color": RED, "linewidth": 1, "linestyle": "--"}
    if max(values) > WIDE * min(values) > 0 or max(guess) > WIDE * min(values) > 0:
        axes.set_yscale("log", nonpositive="mask")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        axes.set_ylim(bottom=0)
    axes.plot(_moments(rows), guess, label="mean field", **look)
    axes.set_xlabel("t")
    axes.set_ylabel("relative L2 error in %")
    legend(figure)
    return figure


def _names(found: Comparison) -> list[str]:
    return [plain(name) for name in found.names]


def _moments(rows: Sequence[dict[str, float]]) -> list[float]:
    return [row["t"] for row in rows]
