"""A learning curve in words and as a figure, both made from the results of its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from llt.bench.figures import COLORS, label_values

POOR = 1.1  # misses of a law that three points do not lie on
WIDE = 1.5  # ratio of the ends of what is promised
FLAT = 0.1  # rate below which twice the cases bring less than 7 %
FEW = 10  # test cases


def curve_rows(results: Mapping[str, Any]) -> tuple[list[str], list[tuple[str, ...]]]:
    titles = ["cases", "test error", "validation error", "mean field"]
    rows = [
        (str(point["cases"]), *(f"{point[name]:.4f}" for name in _NUMBERS))
        for point in results["points"]
    ]
    return titles, rows


_NUMBERS = ("test_error", "best_val_error", "mean_field_error")


def promise(results: Mapping[str, Any]) -> str:
    """What twice the cases would give, and how far to believe it."""
    law, last = results["law"], results["points"][-1]
    if law["rate"] < FLAT:
        return (
            f"more cases hardly lower the error (it goes as cases^{-law['rate']:.2f}): "
            "what limits it is the training, its inputs or the model; try more steps first"
        )
    text = (
        f"twice the cases ({law['cases']}) would give an error of about {law['error']:.3g}, "
        f"{law['low']:.3g} to {law['high']:.3g}, instead of {last['test_error']:.3g}: "
        f"it falls as cases^-{law['rate']:.2f}"
    )
    doubts = _doubts(results)
    return f"{text}; take it as a guess: {', '.join(doubts)}" if doubts else text


def _doubts(results: Mapping[str, Any]) -> list[str]:
    law, last = results["law"], results["points"][-1]
    doubts = []
    if law["misses"] > POOR:
        doubts.append(f"the errors lie up to {law['misses'] - 1:.0%} off the law")
    if law["high"] > WIDE * law["low"]:
        doubts.append("other test cases would say something else")
    if len(last["per_sample"]) < FEW:
        doubts.append(f"there are {len(last['per_sample'])} test cases only")
    if last["test_error"] > 0.8 * last["mean_field_error"]:
        doubts.append("the model is hardly better than the mean field yet")
    return doubts


def curve_figure(results: Mapping[str, Any]) -> Figure:
    """Errors over numbers of cases with their standard errors, the law, and its promise."""
    points, law = results["points"], results["law"]
    cases = [point["cases"] for point in points]
    errors = np.array([point["test_error"] for point in points])
    spread = np.array([np.std(point["per_sample"]) for point in points])
    figure = Figure(figsize=(4.6, 3.4), layout="constrained")
    axes = figure.subplots()
    color = COLORS["llt"]
    bars = spread / np.sqrt([len(point["per_sample"]) for point in points])
    axes.errorbar(cases, errors, bars, fmt="o", color=color, capsize=3, label="test error")
    ends = np.array([cases[0], law["cases"]])
    line = law["scale"] * ends ** -law["rate"]
    axes.plot(ends, line, "--", color="0.5", label=f"cases^-{law['rate']:.2f}")
    reach = [[law["error"] - law["low"]], [law["high"] - law["error"]]]
    axes.errorbar(
        [law["cases"]],
        [law["error"]],
        np.maximum(reach, 0),
        fmt="o",
        color=color,
        markerfacecolor="white",
        capsize=3,
        label="promised",
    )
    axes.set(xscale="log", xlabel="training cases", ylabel="test error (relative L2)")
    axes.xaxis.set_major_locator(FixedLocator([*cases, law["cases"]]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([*map(str, cases), str(law["cases"])])
    label_values(axes)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)
    return figure
