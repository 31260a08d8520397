"""A small film: a quantity over time, reference beside prediction, as an animated picture.

It begins with the last moment, which stays a while: in a loop that is no other film, and what
does not move, as paper, shows where it all ends. Text is of a color for light and dark pages.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from llt.evaluation.moments import Moment, Quantity, panel_of
from llt.evaluation.panels import Scale, View, draw_values, field_scale, show_view
from llt.evaluation.svg import GRAY
from llt.problem import Problem

PICTURE, TALLEST, GAP, TOP, BOTTOM = 4.3, 3.2, 0.15, 0.3, 0.14  # inches
MIDDLE = TOP / 2  # of the words above
TEXT: dict[str, Any] = {"ha": "center", "va": "center", "color": GRAY, "fontsize": 10}
DPI = 120
SECONDS, PAUSE = 3.0, 1.5  # from the first moment to the last, and at the last
MOST_BYTES = 700_000
QUALITIES = (80, 50, 20)  # the first at which the film is not larger


@dataclass(frozen=True)
class Film:
    """Animated, and its first frame alone, both as WebP."""

    moving: bytes
    still: bytes

    def picture(self, label: str) -> str:
        """An element for a page; who asked for less motion sees the still."""
        still, moving = (
            f"data:image/webp;base64,{base64.b64encode(z).decode()}"
            for z in (self.still, self.moving)
        )
        return (
            f'<picture><source media="(prefers-reduced-motion: reduce)" srcset="{still}"/>'
            f'<img class="film" alt="{label}" src="{moving}"/></picture>'
        )


def make_film(problem: Problem, quantity: Quantity, moments: Sequence[Moment], view: View) -> Film:
    pairs = [
        [quantity.of(moment.sample, u) for u in (moment.sample.outputs, moment.u)]
        for moment in moments
    ]
    truths, answers = (np.concatenate(part) for part in zip(*pairs, strict=True))
    scale = field_scale(truths, answers)
    order = [*moments[-1:], *moments[:-1]]
    frames = [_frame(problem, quantity, moment, view, scale, moments) for moment in order]
    step = round(1000 * SECONDS / len(frames))
    waits = [round(1000 * PAUSE), *[step] * (len(frames) - 1)]
    moving = b""
    for quality in QUALITIES:
        moving = _webp(frames, quality, waits)
        if len(moving) <= MOST_BYTES:
            break
    return Film(moving, _webp(frames[:1], QUALITIES[0]))


def _frame(
    problem: Problem,
    quantity: Quantity,
    moment: Moment,
    view: View,
    scale: Scale,
    moments: Sequence[Moment],
) -> Image.Image:
    size = np.maximum(view.high - view.low, 1e-12)
    height = float(min(PICTURE * size[1] / size[0], TALLEST))
    wide, high = 2 * PICTURE + GAP, TOP + height + BOTTOM
    figure = Figure(figsize=(wide, high))
    for side, (name, u) in enumerate(
        (("reference", moment.sample.outputs), ("prediction", moment.u))
    ):
        left = side * (PICTURE + GAP)
        box = (left / wide, BOTTOM / high, PICTURE / wide, height / high)
        axes = figure.add_axes(box)
        values = quantity.of(moment.sample, u)
        draw_values(axes, panel_of(problem, quantity, moment.sample, u, values, scale), view)
        show_view(axes, view)
        axes.set_axis_off()
        at = (left + PICTURE / 2) / wide
        figure.text(at, 1 - MIDDLE / high, name, **TEXT)
    _clock(figure, moment, moments)
    canvas = FigureCanvasAgg(figure)
    figure.patch.set_alpha(0)
    figure.set_dpi(DPI)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba()).copy())


def _clock(figure: Figure, moment: Moment, moments: Sequence[Moment]) -> None:
    """The time in words, and as a line along the lower edge that grows."""
    first, last = (moments[k].t or 0.0 for k in (0, -1))
    part = ((moment.t or 0.0) - first) / ((last - first) or 1.0)
    words = f"t = {moment.t:.3g}"
    high = figure.get_figheight()
    figure.text(0.5, 1 - MIDDLE / high, words, **TEXT)
    axes = figure.add_axes((0.02, 0, 0.96, 0.5 * BOTTOM / high))
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_axis_off()
    axes.barh(0.5, 1, height=0.25, color=GRAY, alpha=0.25)
    axes.barh(0.5, part, height=0.25, color=GRAY)


def _webp(frames: Sequence[Image.Image], quality: int, waits: Sequence[int] = ()) -> bytes:
    buffer = io.BytesIO()
    motion = {"save_all": True, "append_images": frames[1:], "duration": [*waits], "loop": 0}
    frames[0].save(buffer, "webp", quality=quality, method=4, **(motion if waits else {}))
    return buffer.getvalue()
