"""Curves of a report: training, errors of samples, errors over time and over distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from llt.evaluation.metrics import Evaluation
from llt.evaluation.svg import BLUE, GRAY, INK, ORANGE, RED, SERIES, plain
from llt.evaluation.verdict import STEPS, at_time, percent

Row = Mapping[str, Any]
WIDE = 30  # times the smallest error: above it a linear axis hides the small ones


def curves_figure(metrics: Sequence[Row], evaluation: Evaluation) -> Figure:
    """Training loss and validation error, of fields too, over the epochs; the best one marked.

    Below them the learning rate, which older runs have not kept.
    """
    rates = [row["lr"] for row in metrics if "lr" in row]
    known = len(rates) == len(metrics)
    figure, axes, *below = new_figure(below=known)
    axes.set_yscale("log")
    epochs = [row["epoch"] for row in metrics]
    marker = "o" if len(epochs) == 1 else ""

    def line(values: Sequence[float], color: str, label: str, **look: Any) -> None:
        axes.plot(epochs, values, color=color, label=label, marker=marker, **look)

    line([row["train_loss"] for row in metrics], GRAY, "training loss", linewidth=1)
    line([row["val_error"] for row in metrics], BLUE, "validation error", linewidth=1.6)
    names = metrics[-1].get("val_fields", {})
    if all("val_fields" in row for row in metrics):
        for name, color in zip(names, _colors(len(names)), strict=True):
            values = [row["val_fields"][name] for row in metrics]
            line(values, color, f"of {plain(name)}", linewidth=0.8, linestyle=":")
    best = evaluation.checkpoint
    if best.get("epoch") in epochs and "val_error" in best:
        label = f"best, epoch {best['epoch']}"
        axes.plot(best["epoch"], best["val_error"], "o", color=BLUE, markersize=5, label=label)
    axes.axhline(
        evaluation.relative_l2, color=ORANGE, linewidth=1, label=f"{evaluation.split} error"
    )
    axes.axhline(
        evaluation.mean_field_error, color=RED, linewidth=1, linestyle="--", label="mean field"
    )
    for rate_axes in below:
        rate_axes.plot(epochs, rates, color=GRAY, linewidth=1, marker=marker)
        rate_axes.set_ylim(bottom=0)
        rate_axes.set_ylabel("learning rate")
        rate_axes.ticklabel_format(style="sci", scilimits=(-2, 3), axis="y", useMathText=True)
    lowest = (axes, *below)[-1]
    lowest.set_xlabel("epoch")
    lowest.xaxis.set_major_locator(MaxNLocator(integer=True))
    percent_axis(axes)
    legend(figure)
    return figure


def histogram_figure(evaluation: Evaluation, name: str = "") -> Figure:
    """How many samples have which error, of one field or of all together."""
    figure, axes = new_figure(small=True)
    whole = {"relative_l2": evaluation.relative_l2, "mean_field_error": evaluation.mean_field_error}
    errors = 100 * np.asarray(evaluation.field_errors[name] if name else evaluation.per_sample)
    found = evaluation.fields[name] if name else whole
    bins = min(40, max(8, len(errors) // 4))
    axes.hist(errors, bins=bins, color=BLUE, alpha=0.85)
    mean, guess = found["relative_l2"], found.get("mean_field_error")
    axes.axvline(100 * mean, color=ORANGE, linewidth=1.2, label=f"mean {percent(mean)}")
    if guess is not None and 100 * guess <= 1.5 * errors.max():
        label = f"mean field {percent(guess)}"
        axes.axvline(100 * guess, color=RED, linewidth=1.2, linestyle="--", label=label)
    axes.ticklabel_format(axis="x", useOffset=False)
    axes.set_xlabel("relative L2 error of a sample in %")
    axes.set_ylabel("samples")
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    legend(figure)
    return figure


def distance_figure(evaluation: Evaluation) -> Figure:
    """The error of every sample over its distance from the training cases."""
    figure, axes = new_figure()
    trusted = evaluation.trust
    assert trusted is not None
    distances, errors = np.array(trusted.distances), 100 * np.array(evaluation.per_sample)
    beyond = distances > 1
    for part, color, label in ((~beyond, BLUE, "familiar"), (beyond, RED, "unfamiliar")):
        if part.any():
            axes.scatter(distances[part], errors[part], s=14, color=color, alpha=0.8, label=label)
    look = {"linewidth": 1, "linestyle": "--"}
    axes.axvline(1, color=GRAY, label="farthest training case", **look)
    if trusted.error is not None:
        label = f"error bar of {100 * trusted.level:g} %"
        axes.axhline(100 * trusted.error, color=ORANGE, label=label, **look)
    axes.set_xlim(left=0)
    if errors.max() > WIDE * errors.min() > 0:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel("distance from the training cases")
    axes.set_ylabel("relative L2 error in %")
    legend(figure)
    return figure


def times_figure(times: Sequence[Row]) -> Figure:
    """Mean errors at every time, of all fields together and of each."""
    figure, axes = new_figure()
    moments = [row["t"] for row in times]
    marker = "o" if len(moments) == 1 else ""

    def line(values: Sequence[float], **look: Any) -> None:
        axes.plot(moments, 100 * np.asarray(values), marker=marker, **look)

    names = [*at_time(times[0])]
    several = len(names) > 1
    total = [row["relative_l2"] for row in times]
    line(total, color=INK, label="all fields" if several else plain(names[0]), linewidth=1.8)
    for name, color in zip(names, _colors(len(names)), strict=True) if several else ():
        line([at_time(row)[name] for row in times], color=color, label=plain(name), linewidth=1.1)
    for (name, key), look in zip(STEPS.items(), ("-.", "--"), strict=True):
        if key in times[0]:
            line([row[key] for row in times], color=GRAY, label=name, linewidth=1.1, linestyle=look)
    guess = [row["mean_field_error"] for row in times]
    line(guess, color=RED, label="mean field", linewidth=1, linestyle="--")
    axes.set_xlabel("t")
    keys = [key for key in ("relative_l2", *STEPS.values()) if key in times[0]]
    errors = [
        error for row in times for error in (*(row[key] for key in keys), *at_time(row).values())
    ]
    if max(errors) > WIDE * min(errors) > 0:
        axes.set_yscale("log", nonpositive="mask")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        axes.set_ylim(bottom=0)
    axes.set_ylabel("relative L2 error in %")
    legend(figure)
    return figure


def new_figure(*, below: bool = False, small: bool = False) -> tuple[Any, ...]:
    """A figure with its axes, and low ones below them that share their x."""
    size = (3.7, 2.3) if small else (5.2, 4.0 if below else 3.1)
    figure = Figure(figsize=size, layout="constrained")
    rows = (3, 1) if below else (1,)
    found = figure.subplots(len(rows), sharex=True, squeeze=False, height_ratios=rows)[:, 0]
    for axes in found:
        axes.grid(alpha=0.25, linewidth=0.5)
    return figure, *found


def legend(figure: Figure) -> None:
    """Above the axes, where it hides nothing."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    columns = 3 if len(labels) > 4 else 4
    figure.legend(handles, labels, loc="outside upper left", ncols=columns, fontsize=7.5)


def _colors(count: int) -> list[str]:
    return [SERIES[i % len(SERIES)] for i in range(count)]


def percent_axis(axes: Axes, name: str = "relative L2") -> None:
    """A logarithmic axis that says 1 %, 2 %, 3 %, 5 %, 10 %."""
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel(name)
