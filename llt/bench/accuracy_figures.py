"""The accuracy study as figures: error over seconds of training and over parameters, by problem.

Seconds are those of all steps alone on the device; several budgets of a model are joined. Where
nobody has measured seconds, that panel is left out. A figure carries a mark of what it shows, and
is drawn again when that changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from math import log
from pathlib import Path
from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from llt.bench.accuracy_tables import FIGURE
from llt.bench.figures import COLORS, TITLES, label_values, png
from llt.bench.matched import OURS
from llt.bench.record import Records
from llt.bench.study_entries import Entry, entries
from llt.bench.study_results import study_results
from llt.runtime.checked import checksum
from llt.runtime.files import write_bytes

GAP = 0.055  # from label to label, in parts of a panel's height
WIDE = 200  # ratio of costs from which on only powers of ten have room for their numbers
MARGIN = 1.25  # factor between the outermost points and the frame


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one model, the cheapest first."""

    model: str
    costs: Sequence[float]
    errors: Sequence[float]
    spreads: Sequence[float]  # 0 where nobody knows


Panels = dict[str, list[Line]]  # by the title of what it costs


def panels(records: Records) -> dict[str, Panels]:
    """What there is to draw, by problem."""
    found = [entry for entry in entries(study_results(records)) if entry.is_drawn]
    return {
        problem: _panels([entry for entry in found if entry.data == problem])
        for problem in dict.fromkeys(entry.data for entry in found)
    }


def _panels(found: Sequence[Entry]) -> Panels:
    timed = [(entry.seconds, entry) for entry in found if entry.seconds is not None]
    first = min(entry.tier for entry in found)
    sizes = [(e.seeds[0]["parameters"] / 1e6, e) for e in found if e.tier == first]
    shown = {
        "seconds of training, alone on the device": _lines(timed),
        f"million parameters (tier {first})": _lines(sizes),
    }
    return {title: lines for title, lines in shown.items() if lines}


def _lines(points: Sequence[tuple[float, Entry]]) -> list[Line]:
    """LLT last: it is drawn above the others."""
    order = sorted(points, key=lambda p: (p[1].model == OURS, p[1].model, p[0]))
    lines = []
    for model, group in groupby(order, key=lambda point: point[1].model):
        costs, found = zip(*group, strict=True)
        errors, spreads = [e.error for e in found], [e.spread or 0.0 for e in found]
        lines.append(Line(model, costs, errors, spreads))
    return lines


def study_figure(shown: Panels) -> Figure:
    """A panel beside the other, both logarithmic, every model named at its last point."""
    figure = Figure(figsize=(5.8 * len(shown), 4.4), layout="constrained")
    every = figure.subplots(1, len(shown), squeeze=False)[0]
    for axes, (title, lines) in zip(every, shown.items(), strict=True):
        for line in lines:
            _draw(axes, line)
        axes.set(xscale="log", xlabel=title, ylabel="test error (relative L2)")
        costs = [cost for line in lines for cost in line.costs]
        wide = max(costs) > WIDE * min(costs)
        axes.xaxis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        label_values(axes)
        axes.grid(alpha=0.25)
        _label(axes, lines)
    return figure


def _draw(axes: Axes, line: Line) -> None:
    ours = line.model == OURS
    axes.errorbar(
        line.costs,
        line.errors,
        [spread or float("nan") for spread in line.spreads],
        color=COLORS[OURS] if ours else "0.55",
        marker="o",
        markersize=7 if ours else 4.5,
        linewidth=2 if ours else 1,
        capsize=2,
        zorder=4 if ours else 3,
    )


def _label(axes: Axes, lines: Sequence[Line]) -> None:
    """Names in a column at the right, where they cannot cover points or each other."""
    errors = [error for line in lines for error in line.errors]
    low, high = min(errors) / MARGIN, max(errors) * MARGIN
    axes.set_ylim(low, high)
    order = sorted(lines, key=lambda line: line.errors[-1])
    wanted = [log(line.errors[-1] / low) / log(high / low) for line in order]
    for line, place in zip(order, apart(wanted), strict=True):
        ours = line.model == OURS
        axes.annotate(
            TITLES[line.model],
            (line.costs[-1], line.errors[-1]),
            xytext=(1.04, place),
            textcoords="axes fraction",
            va="center",
            fontsize=9 if ours else 8,
            fontweight="bold" if ours else "normal",
            color=COLORS[OURS] if ours else "0.25",
            arrowprops={"arrowstyle": "-", "color": "0.8", "linewidth": 0.5, "relpos": (0, 0.5)},
        )


def apart(wanted: Sequence[float]) -> list[float]:
    """The places nearest to these, which rise, that are GAP apart; all from 0 to 1."""
    gap = min(GAP, 1 / max(len(wanted) - 1, 1))
    groups: list[list[float]] = []  # of labels that touch; where their lowest would like to be
    for number, place in enumerate(wanted):
        groups.append([place - number * gap])
        while len(groups) > 1 and fmean(groups[-2]) > fmean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    lowest = [fmean(group) for group in groups for _ in group]
    room = 1 - gap * (len(wanted) - 1)
    return [min(max(place, 0), room) + number * gap for number, place in enumerate(lowest)]


def write_figures(root: Path, records: Records) -> list[Path]:
    """Bring the figures up to date; gives those that changed."""
    changed = []
    for problem, shown in panels(records).items():
        path = root / "docs" / FIGURE.format(problem)
        if not is_current(path, shown):
            write_bytes(path, png(study_figure(shown), mark=_mark(shown)))
            changed.append(path)
    return changed


def is_current(path: Path, shown: Panels) -> bool:
    """Whether a picture shows just this."""
    return path.is_file() and _mark(shown).encode() in path.read_bytes()


def _mark(shown: Panels) -> str:
    return checksum({title: [asdict(line) for line in lines] for title, lines in shown.items()})
