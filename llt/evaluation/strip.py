"""Strips: a quantity at several times or of several cases, reference above prediction above error.

Columns share their scales, one of the quantity and one of the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from llt.data.dataset import Dataset
from llt.data.sample import Floats
from llt.errors import DataError
from llt.evaluation.moments import (
    Moment,
    Quantity,
    moments_of,
    panel_of,
    quantities,
    view_of,
)
from llt.evaluation.panels import (
    Panel,
    Scale,
    View,
    draw_values,
    error_scale,
    field_scale,
    nice,
    show_view,
    size_scale,
)
from llt.problem import Problem
from llt.surrogate import Surrogate

COLUMN, TALLEST = 1.9, 2.4  # inches of a picture: its width, and its height at most
LEFT, RIGHT, TOP, BOTTOM, GAP = 0.75, 0.75, 0.24, 0.06, 0.06
BAR, INSET = 0.09, 0.05  # the width of a color scale, and what it lacks at both ends
ERRORS = 0.995  # the part of all errors that lies inside their scale


def cases_figure(
    surrogate: Surrogate, data: Dataset, indices: Sequence[int], quantity: str = ""
) -> Figure:
    """Samples of a dataset side by side at their last time, as in the paper's figures.

    Args:
        quantity: one of `moments.quantities`; by default the first: the length of the first
            vector, as |u| in Plasticity, or the first field.
    """
    known = {found.name: found for found in quantities(data.problem)}
    if quantity and quantity not in known:
        raise DataError(f"unknown quantity {quantity!r}; choose from {', '.join(known)}")
    last = 0 if data.times is None else len(data.times) - 1
    moments = [moments_of(surrogate, data, index, [last])[0] for index in indices]
    chosen = known[quantity] if quantity else next(iter(known.values()))
    view = view_of(surrogate, data.problem, moments)
    titles = [f"sample {index}" for index in indices]
    return strip_figure(data.problem, chosen, moments, titles, view)


def strip_figure(
    problem: Problem,
    quantity: Quantity,
    moments: Sequence[Moment],
    titles: Sequence[str],
    view: View,
    limit: float | None = None,
) -> Figure:
    """One column for each moment.

    Args:
        limit: of the error's scale, in percent of the quantity's range; by default that of
            nearly all errors here.
    """
    rows = _rows(problem, quantity, moments, limit)
    size = np.maximum(view.high - view.low, 1e-12)
    height = float(min(COLUMN * size[1] / size[0], TALLEST))
    wide = LEFT + len(moments) * (COLUMN + GAP) + RIGHT
    high = TOP + len(rows) * (height + GAP) + BOTTOM
    figure = Figure(figsize=(wide, high))

    def place(row: int, column: int, rows: int = 1) -> Axes:
        """A picture, or beside the last one a color scale, which is a little shorter."""
        is_scale = column == len(moments)
        width, inset = (BAR, INSET) if is_scale else (COLUMN, 0.0)
        tall = rows * height + (rows - 1) * GAP
        left, low = LEFT + column * (COLUMN + GAP), high - TOP - row * (height + GAP) - tall
        box = (left, low + inset, width, tall - 2 * inset)
        return figure.add_axes((box[0] / wide, box[1] / high, box[2] / wide, box[3] / high))

    for row, panels in enumerate(rows.values()):
        for column, panel in enumerate(panels):
            axes = place(row, column)
            image = draw_values(axes, panel, view)
            show_view(axes, view)
            axes.set_axis_off()
            if row == 0:
                axes.set_title(titles[column], fontsize=8, pad=3)
        if row:  # reference and prediction share a scale
            unit = quantity.unit if row == 1 else "%"
            bar = place((0, 2)[row - 1], len(moments), rows=3 - row)
            _color_scale(figure, bar, image, panels[0].scale, unit)
    for row, name in enumerate(rows):
        middle = high - TOP - row * (height + GAP) - height / 2
        x, y = (LEFT - 0.1) / wide, middle / high
        figure.text(x, y, name, ha="right", va="center", fontsize=8)
    return figure


def _rows(
    problem: Problem, quantity: Quantity, moments: Sequence[Moment], limit: float | None
) -> dict[str, list[Panel]]:
    truths = [quantity.of(moment.sample, moment.sample.outputs) for moment in moments]
    answers = [quantity.of(moment.sample, moment.u) for moment in moments]
    truth = np.concatenate(truths)
    size = np.float32(np.ptp(truth) or np.abs(truth).max() or 1)
    errors = [100 * quantity.error(moment) / size for moment in moments]
    error = np.concatenate(errors)
    limit = limit or nice(float(np.quantile(np.abs(error), ERRORS)))
    of_fields = field_scale(truth, np.concatenate(answers))
    of_errors = (error_scale if quantity.signed else size_scale)(limit, error)

    def row(values: Sequence[Floats], scale: Scale, *, predicted: bool = False) -> list[Panel]:
        pairs = zip(moments, values, strict=True)
        return [
            panel_of(problem, quantity, m.sample, m.u if predicted else m.sample.outputs, z, scale)
            for m, z in pairs
        ]

    return {
        "reference": row(truths, of_fields),
        "prediction": row(answers, of_fields, predicted=True),
        "error": row(errors, of_errors),
    }


def _color_scale(figure: Figure, axes: Axes, image: Any, scale: Scale, unit: str) -> None:
    bar = figure.colorbar(image, cax=axes, extend=scale.extend)
    bar.outline.set_visible(False)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.tick_params(labelsize=7, length=2)
    axes.set_ylabel(unit, fontsize=7, labelpad=2)
