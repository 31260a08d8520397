"""Pictures of fields: one panel each, all of one size, so that a page can lay them out in rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, Colormap, ListedColormap, Normalize
from matplotlib.figure import Figure, FigureBase
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator
from matplotlib.tri import Triangulation
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from llt.evaluation.body import body_triangles, draw_body
from llt.evaluation.svg import INK, plain

Floats = NDArray[np.floating[Any]]
OVER, UNDER = "#ff2d9b", "#00d5ff"  # beyond the reference's range: in neither color map
LEFT, RIGHT, BOTTOM, TOP = 0.46, 0.18, 0.74, 0.06  # margins in inches
WIDTH, LOWEST, HIGHEST = 2.6, 0.75, 2.6  # of a panel, and limits of its picture's height
FEW = 6  # values that make a field discrete
MOST_TRIANGLED = 50_000  # points
FILLED = 2.5  # circumradius of a triangle inside the mesh, in spacings of its points


@dataclass(frozen=True)
class Scale:
    """From values to colors."""

    colors: Colormap
    norm: Normalize
    extend: str = "neither"  # which ends values lie beyond
    ticks: tuple[float, ...] = ()  # of a discrete scale


@dataclass(frozen=True)
class View:
    """Where points are seen: the part of the plane that all panels show."""

    low: Floats  # (2,)
    high: Floats
    axes: tuple[int, ...] = ()  # in 3-D: the longest axis, the middle one, and the one upwards
    names: tuple[str, str] = ("x", "y")

    @property
    def height(self) -> float:
        """Of the picture, in inches."""
        size = np.maximum(self.high - self.low, 1e-12)
        return float(np.clip((WIDTH - LEFT - RIGHT) * size[1] / size[0], LOWEST, HIGHEST))


@dataclass(frozen=True)
class Panel:
    """Values at points, and how they are shown."""

    points: Floats  # (N, d)
    values: Floats  # (N,)
    scale: Scale
    unit: str = ""
    grid: tuple[int, ...] | None = None
    dots: bool = False  # never a surface: the points are a part of a mesh
    view: View | None = field(default=None)


def panel_figure(panel: Panel) -> Figure:
    """One panel as a figure of its own."""
    view = panel.view or find_view([panel.points])
    figure = Figure(figsize=(WIDTH, panel_height(view)))
    draw_panel(figure, panel, view)
    return figure


def panel_height(view: View) -> float:
    """In inches."""
    return TOP + view.height + BOTTOM


def draw_panel(figure: FigureBase, panel: Panel, view: View) -> None:
    """The picture with its axes above its color scale, in a figure of a panel's size."""
    height = panel_height(view)
    inner = (WIDTH - LEFT - RIGHT) / WIDTH
    axes = figure.add_axes((LEFT / WIDTH, BOTTOM / height, inner, view.height / height))
    image = draw_values(axes, panel, view)
    _finish(axes, view)
    bar = figure.add_axes((LEFT / WIDTH, 0.3 / height, inner, 0.08 / height))
    scale = panel.scale
    colors = figure.colorbar(image, cax=bar, orientation="horizontal", extend=scale.extend)
    colors.outline.set_visible(False)
    bar.xaxis.set_major_locator(FixedLocator(scale.ticks) if scale.ticks else MaxNLocator(4))
    bar.xaxis.set_minor_locator(NullLocator())
    bar.tick_params(labelsize=7, length=2)
    bar.ticklabel_format(style="sci", scilimits=(-3, 4), axis="x", useMathText=False)
    bar.xaxis.get_offset_text().set_fontsize(7)
    if panel.unit:
        bar.set_xlabel(plain(panel.unit), fontsize=7, labelpad=1)


def field_scale(reference: Floats, shown: Floats, slack: float = 0.01) -> Scale:
    """The reference's range; what is shown beyond it, by more than a hundredth, stands out."""
    low, high = float(reference.min()), float(reference.max())
    margin = slack * (high - low) if high > low else max(abs(high), 1.0) * slack
    low, high = low - margin, high + margin
    ends = bool(shown.min() < low), bool(shown.max() > high)
    extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[ends]
    colors = colormaps["viridis"].with_extremes(under=UNDER, over=OVER)
    return Scale(colors, Normalize(low, high), extend)


def error_scale(limit: float, shown: Floats) -> Scale:
    """Signed errors, white where there is none."""
    ends = bool(shown.min() < -limit), bool(shown.max() > limit)
    extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[ends]
    return Scale(colormaps["RdBu_r"], Normalize(-limit, limit), extend)


def size_scale(limit: float, shown: Floats) -> Scale:
    """Sizes of errors that have no sign."""
    extend = "max" if shown.max() > limit else "neither"
    return Scale(colormaps["Reds"], Normalize(0, limit), extend)


def nice(value: float) -> float:
    """The next round number that is not below a value."""
    if not 0 < value < float("inf"):
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next(
        (step * power for step in (1, 1.5, 2, 3, 4, 5, 6, 8) if value <= step * power), 10 * power
    )


def input_scale(values: Floats) -> Scale:
    """Of a given field; one of a few values has as many colors."""
    found = np.unique(values)
    if not 2 <= len(found) <= FEW:
        low, high = float(values.min()), float(values.max())
        return Scale(colormaps["cividis"], Normalize(low, high if high > low else low + 1))
    colors = ListedColormap(colormaps["cividis"](np.linspace(0.1, 0.95, len(found))))
    middles = (found[1:] + found[:-1]) / 2
    edges = [2 * found[0] - middles[0], *middles, 2 * found[-1] - middles[-1]]
    return Scale(colors, BoundaryNorm(edges, len(found)), ticks=tuple(map(float, found)))


def find_view(clouds: Sequence[Floats], bulk: tuple[Floats, Floats] | None = None) -> View:
    """What shows all points; of meshes with a far field, the part where most points are.

    Args:
        bulk: corner and size of the box with most points, as a normalizer has it.
    """
    points = np.concatenate(clouds)
    if points.shape[1] == 3:
        order = np.argsort(-np.ptp(points, axis=0), kind="stable")
        axes = tuple(int(axis) for axis in order)
        flat = project(points, axes)[0]
        return View(flat.min(axis=0), flat.max(axis=0), axes)
    low, high = points.min(axis=0), points.max(axis=0)
    if bulk is not None:
        far = high - low > 4 * bulk[1]
        low, high = np.where(far, bulk[0], low), np.where(far, bulk[0] + bulk[1], high)
    return View(low, high)


def project(points: Floats, axes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Points in space as seen from one side, ahead and above: in the plane (N, 2), and how near.

    Ahead is where the longest axis begins: what streams past a body usually comes from there.
    """
    turn, lift = np.radians(-120), np.radians(22)
    right = np.array([-np.sin(turn), np.cos(turn), 0])
    toward = np.array([np.cos(lift) * np.cos(turn), np.cos(lift) * np.sin(turn), np.sin(lift)])
    x = points[:, axes]
    return x @ np.stack([right, np.cross(toward, right)], axis=1), x @ toward


def draw_values(axes: Axes, panel: Panel, view: View) -> Any:
    """The picture alone; what color scales are made for comes back."""
    look: dict[str, Any] = {"cmap": panel.scale.colors, "norm": panel.scale.norm}
    look["rasterized"] = True
    if view.axes:
        return _draw_space(axes, panel, view, look)
    x, y = panel.points.T
    if panel.grid is not None:
        x, y, values = (z.reshape(panel.grid) for z in (x, y, panel.values))
        if panel.scale.ticks:
            return axes.pcolormesh(_corners(x), _corners(y), values, shading="flat", **look)
        return axes.pcolormesh(x, y, values, shading="gouraud", **look)
    mesh = None if panel.dots or panel.scale.ticks else surface(panel.points)
    if mesh is not None:
        return axes.tripcolor(mesh, panel.values, shading="gouraud", **look)
    size = float(np.clip(5000 / len(x), 0.4, 14))
    return axes.scatter(x, y, c=panel.values, s=size, linewidths=0, **look)


def _draw_space(axes: Axes, panel: Panel, view: View, look: dict[str, Any]) -> Any:
    """A body, or dots in space, near ones last and larger; directions of the axes in a corner."""
    flat, near = project(panel.points, view.axes)
    order = np.argsort(near, kind="stable")
    depth = (near[order] - near.min()) / max(float(np.ptp(near)), 1e-12)
    size = float(np.clip(9000 / len(near), 0.6, 16))
    triad = project(np.eye(3), view.axes)[0] * 0.1 * float(np.max(view.high - view.low))
    # the longest axis rises to the right, and leaves room below its end
    corner = np.array([view.high[0] - 1.3 * triad[:, 0].max(), view.low[1]])
    for name, arm in zip("xyz", triad, strict=True):
        axes.plot(*zip(corner, corner + arm, strict=True), color=INK, linewidth=0.7)
        axes.annotate(name, corner + 1.3 * arm, fontsize=7, ha="center", va="center")
    triangles = body_triangles(panel.points) if panel.dots else None
    if triangles is not None:
        return draw_body(axes, flat, near, panel.values, triangles, look)
    x, y = flat[order].T
    sizes = size * (0.5 + 0.8 * depth)
    return axes.scatter(x, y, c=panel.values[order], s=sizes, linewidths=0, **look)


def show_view(axes: Axes, view: View) -> None:
    """The part of the plane, undistorted."""
    axes.set_aspect("equal", adjustable="box")
    space = 0.03 * (view.high - view.low)
    axes.set_xlim(view.low[0] - space[0], view.high[0] + space[0])
    axes.set_ylim(view.low[1] - space[1], view.high[1] + space[1])


def _finish(axes: Axes, view: View) -> None:
    show_view(axes, view)
    if view.axes:
        axes.margins(0.1)
        axes.set_axis_off()
        return
    for axis, name in zip((axes.xaxis, axes.yaxis), view.names, strict=True):
        axis.set_major_locator(MaxNLocator(3))
        axis.set_tick_params(labelsize=7, length=2)
        axis.set_label_text(name, fontsize=7)
    axes.xaxis.labelpad, axes.yaxis.labelpad = 0, 3
    axes.spines[:].set_visible(False)


def surface(points: Floats) -> Triangulation | None:
    """Triangles between the points of a mesh in the plane, its holes left open.

    Those that fill a hole are larger than the spacing of the points at their corners. None where
    points would be left out, as on a curve.
    """
    if not 3 <= len(points) <= MOST_TRIANGLED:
        return None
    try:
        mesh = Triangulation(*points.T)
    except (RuntimeError, ValueError):  # all on one line
        return None
    spacing = cKDTree(points).query(points, k=2)[0][:, 1]
    a, b, c = (points[mesh.triangles[:, i]] - points[mesh.triangles[:, i - 1]] for i in range(3))
    area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2
    sides = np.prod([np.linalg.norm(side, axis=1) for side in (a, b, c)], axis=0)
    radius = sides / np.maximum(4 * area, 1e-300)
    inside = radius <= FILLED * spacing[mesh.triangles].max(axis=1)
    if len(np.unique(mesh.triangles[inside])) < 0.98 * len(points):
        return None
    mesh.set_mask(~inside)
    return mesh


def _corners(z: Floats) -> Floats:
    """Of the cells around the points of a grid: (H + 1, W + 1)."""
    for axis in (0, 1):
        z = np.moveaxis(z, axis, 0)
        ends = [z[:1] * 2 - z[1:2], z, z[-1:] * 2 - z[-2:-1]] if len(z) > 1 else [z, z]
        longer = np.concatenate(ends)
        z = np.moveaxis((longer[1:] + longer[:-1]) / 2 if len(z) > 1 else longer, 0, axis)
    return z
