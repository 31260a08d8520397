"""Where errors are, as a section of a report: at every point their mean over all cases."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from llt.evaluation import html
from llt.evaluation.error_maps import ErrorMaps
from llt.evaluation.finished import FinishedRun
from llt.evaluation.mean_field import CONSTANT
from llt.evaluation.moments import bulk_of
from llt.evaluation.panels import Floats, Panel, find_view, nice, panel_figure, size_scale
from llt.evaluation.svg import svg

MOST_FIELDS = 12  # that are drawn
NOTHING = (
    "Points of different cases do not correspond, so that errors at a point have no mean over "
    "them; single cases are below."
)
BEFORE = "This evaluation was kept before there were such maps; for them: llt evaluate {}"


def map_section(run: FinishedRun) -> html.Section:
    maps = run.evaluation.error_maps
    if maps is None:
        scattered = run.evaluation.mean_field == CONSTANT
        words = NOTHING if scattered else BEFORE.format(run.folder)
        return html.section("Where errors are", html.paragraph(words, "note"))
    drawn = [html.figure(f"{name}: mean |error|", picture) for name, picture in pictures(run, maps)]
    parts = [html.paragraph(about(run, maps), "note")]
    parts.append(f'<div class="panels of{min(len(drawn), 4)}">{"".join(drawn)}</div>')
    parts.append(html.bullets(_largest(run, maps)))
    return html.section("Where errors are", *parts)


def about(run: FinishedRun, maps: ErrorMaps) -> str:
    cases = len(run.evaluation.per_sample)
    text = f"The mean of |prediction - reference| at every point over {cases} "
    text += f"{run.evaluation.split} case{'s' * (cases > 1)}"
    text += " and all times" if run.data.times is not None else ""
    if not run.data.shared_points:
        text += "; the mesh differs from case to case, shown is that of the median case"
    total = int(np.prod(maps.shape))
    if len(maps.rows) < total:
        text += f"; {len(maps.rows):,} of {total:,} points"
    hidden = len(maps.fields) - MOST_FIELDS
    return text + (f"; {hidden} more fields are not shown." if hidden > 0 else ".")


def pictures(
    run: FinishedRun, maps: ErrorMaps, beside: ErrorMaps | None = None
) -> Iterator[tuple[str, str]]:
    """Every field's name and map.

    Args:
        beside: another run's maps, on whose scale these are too.
    """
    points = _points(run, maps)
    view = find_view([points], bulk_of(run.surrogate))
    for field in run.data.problem.outputs[:MOST_FIELDS]:
        values = maps.values(field.name)
        here = np.isfinite(values)
        whole = bool(here.all())
        grid = maps.grid if whole and run.data.problem.grid and points.shape[1] == 2 else None
        scale = size_scale(_limit(field.name, maps, beside), values[here])
        panel = Panel(points[here], values[here], scale, field.unit, grid, not whole, view)
        yield field.name, svg(panel_figure(panel), f"Mean error of {field.name}")


def _limit(name: str, *maps: ErrorMaps | None) -> float:
    """The end of a scale that all but a few values are on."""
    values = np.concatenate([one.values(name) for one in maps if one is not None])
    return nice(float(np.nanquantile(values, 0.995)))


def _points(run: FinishedRun, maps: ErrorMaps) -> Floats:
    """Those of the median case, where cases differ."""
    order = run.evaluation.worst_first
    return run.data.sample(run.evaluation.indices[order[len(order) // 2]]).points[maps.rows]


def _largest(run: FinishedRun, maps: ErrorMaps) -> Iterator[str]:
    """Where the error of every field is largest, and how much larger than anywhere."""
    points = _points(run, maps)
    for field in run.data.problem.outputs[:MOST_FIELDS]:
        values = maps.values(field.name)
        mean = float(np.nanmean(values))
        if mean > 0:
            most = int(np.nanargmax(values))
            at = ", ".join(f"{z:.3g}" for z in points[most])
            value = f"{values[most]:.3g} {field.unit}".strip()
            times = f"{values[most] / mean:.1f} times the mean over all points"
            yield f"{field.name}: largest at ({at}), {value}: {times}."
