"""Figures as SVG inside a page: text and lines stay sharp, and take the page's own color of text.

What has too many parts to be drawn by a browser (fields) is an image inside the SVG, in double
resolution.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from PIL import Image

INK = "#1e2a3b"  # stands for the page's color of text
BLUE, ORANGE, RED, GRAY = "#3b82d0", "#e08a2c", "#d43c3c", "#8a94a3"
SERIES = ("#3b82d0", "#2a9d78", "#9b6bd0", "#c2862a", "#4fb3c8", "#c05c8e")  # of fields
DPI = 192  # two pixels of the image for one of the page
_STYLE: dict[Any, Any] = {
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK
    ),
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "svg.fonttype": "none",
}
_PNG = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=\s]+)")


@contextmanager
def style() -> Iterator[None]:
    """Figures for a page are made, and turned into SVG, inside."""
    with matplotlib.rc_context(_STYLE):
        yield


def svg(figure: Figure, label: str) -> str:
    """An `<svg>` element as wide as its place on the page."""
    buffer = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(buffer, format="svg", dpi=DPI, transparent=True, metadata=nothing)
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = _PNG.sub(_smaller, text).replace(INK, "currentColor")
    width, height = figure.get_size_inches() * 72
    head = (
        f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {width:g} {height:g}" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return re.sub(r"<svg[^>]*>", lambda _: head, text, count=1)


def plain(text: str) -> str:
    """A name in a figure, whatever it holds: dollars would be read as formulas."""
    return text.replace("$", r"\$")


def _smaller(match: re.Match[str]) -> str:
    """The image as WebP, a tenth of the size to the eye's limits."""
    image = Image.open(io.BytesIO(base64.b64decode(match[1])))
    buffer = io.BytesIO()
    image.save(buffer, "webp", quality=88, method=4)
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()
