"""A picture of fields, for a first look."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from llt.errors import DataError
from llt.evaluation.panels import WIDTH, Panel, draw_panel, find_view, input_scale, panel_height

TITLE = 0.25  # inches above a panel


def plot(points: ArrayLike, fields: Mapping[str, ArrayLike]) -> Figure:
    """Fields at the same points side by side; `plot(...).savefig("fields.png", dpi=200)` keeps it.

    Args:
        points: (*grid, d) or (N, d), in 2-D or 3-D.
        fields: by name, each with a value at every point, as `Surrogate.predict` gives them.
    """
    x = np.asarray(points, float)
    if x.ndim < 2 or x.shape[-1] not in (2, 3) or not fields:
        raise DataError(f"points of shape {x.shape}: expected (*grid, d) or (N, d), and some field")
    grid = x.shape[:-1] if x.ndim == x.shape[-1] + 1 == 3 else None
    flat = x.reshape(-1, x.shape[-1])
    view = find_view([flat])
    height = TITLE + panel_height(view)
    figure = Figure(figsize=(WIDTH * len(fields), height))
    parts = figure.subfigures(2, len(fields), squeeze=False, height_ratios=(TITLE, height - TITLE))
    for (title, part), (name, values) in zip(parts.T, fields.items(), strict=True):
        u = np.asarray(values, float)
        if u.size != len(flat):
            raise DataError(f"{name} of shape {u.shape}: expected a value at each of {len(flat)}")
        u = u.reshape(-1)
        title.text(0.55, 0.2, name, ha="center", fontsize=9)
        draw_panel(part, Panel(flat, u, input_scale(u), grid=grid), view)
    return figure
