"""Pictures of fields and of training, as PNG bytes or matplotlib figures."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
FIELD_MAP, ERROR_MAP = "viridis", "magma"
BLUE, ORANGE, GRAY = "#2a6fbb", "#d9822b", "#777777"


@dataclass(frozen=True)
class Panel:
    """One picture in a row: values at points."""

    title: str
    values: Floats  # (N,)
    low: float | None = None
    high: float | None = None
    colors: str = FIELD_MAP


def fields_figure(points: Floats, grid: tuple[int, ...] | None, panels: Sequence[Panel]) -> Figure:
    """A row of fields on the same mesh, each with its color scale."""
    width, height = _panel_size(points)
    figure = Figure(figsize=(width * len(panels), height), layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        image = draw_field(axes, points, grid, panel)
        axes.set_title(panel.title, fontsize=9)
        bar = figure.colorbar(image, ax=axes, shrink=0.85)
        bar.ax.tick_params(labelsize=7)
        bar.ax.ticklabel_format(style="sci", axis="y", scilimits=(-2, 3))
        bar.ax.yaxis.get_offset_text().set_fontsize(7)
    return figure


def draw_field(axes: Axes, points: Floats, grid: tuple[int, ...] | None, panel: Panel) -> Any:
    """Shaded on structured 2-D meshes, dots on point sets; 3-D is seen from the side."""
    scale: dict[str, Any] = {"vmin": panel.low, "vmax": panel.high, "cmap": panel.colors}
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    if grid is not None and len(grid) == 2:
        x, y, values = (z.reshape(grid) for z in (*points.T[:2], panel.values))
        return axes.pcolormesh(x, y, values, shading="gouraud", rasterized=True, **scale)
    x, y = (points[:, 2], points[:, 1]) if points.shape[1] == 3 else points.T
    size = float(np.clip(9000 / len(x), 0.5, 12))
    return axes.scatter(x, y, c=panel.values, s=size, linewidths=0, rasterized=True, **scale)


def curves_figure(metrics: Sequence[dict[str, Any]], test_error: float | None = None) -> Figure:
    """Training loss and validation error over the epochs."""
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.subplots()
    epochs = [row["epoch"] for row in metrics]
    marker = "o" if len(epochs) == 1 else ""
    axes.semilogy(
        epochs, [r["train_loss"] for r in metrics], color=GRAY, marker=marker, label="training loss"
    )
    axes.semilogy(
        epochs,
        [r["val_error"] for r in metrics],
        color=BLUE,
        marker=marker,
        label="validation error",
    )
    if test_error is not None:
        axes.axhline(test_error, color=ORANGE, linewidth=1, linestyle="--", label="test error")
    axes.set_xlabel("epoch")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("relative L2")
    axes.grid(alpha=0.25, which="both")
    axes.legend(frameon=False, fontsize=8)
    return figure


def histogram_figure(errors: Sequence[float], mean: float) -> Figure:
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.hist(errors, bins=min(40, max(8, len(errors) // 4)), color=BLUE, alpha=0.85)
    axes.axvline(mean, color=ORANGE, linestyle="--", linewidth=1, label=f"mean {mean:.4f}")
    axes.set_xlabel("relative L2 error of a sample")
    axes.set_ylabel("samples")
    axes.legend(frameon=False, fontsize=8)
    return figure


def png(figure: Figure, dpi: int = 110) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()


def _panel_size(points: Floats) -> tuple[float, float]:
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.maximum(high - low, 1e-12)
    shape = span[[2, 1]] if len(span) == 3 else span
    height = float(np.clip(2.7 * shape[1] / shape[0], 1.6, 3.6))
    return 3.3, height
