"""Pieces of a page; what is text is escaped here, and what is markup is passed on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")


class Markup(str):
    """What a table shows as it stands."""


@dataclass(frozen=True)
class Section:
    """A part of a page, which its contents name."""

    title: str
    body: str

    @property
    def place(self) -> str:
        """What links within the page call it."""
        return re.sub(r"\W+", "-", self.title.lower())


def page(title: str, head: str, sections: Iterable[Section | None]) -> str:
    """Those sections that there are, their names under the head."""
    found = [section for section in sections if section is not None]
    names = " ".join(link(one.title, one.place) for one in found)
    body = "".join(
        f'<section id="{one.place}"><h2>{escape(one.title)}</h2>{one.body}</section>\n'
        for one in found
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        '<meta name="color-scheme" content="light dark"/>'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><main><header>{head}</header>\n<nav>{names}</nav>\n{body}</main></body></html>\n"
    )


def section(title: str, *parts: str) -> Section:
    return Section(title, "".join(parts))


def link(text: str, place: str) -> Markup:
    """To a place on the same page."""
    return Markup(f'<a href="#{escape(place)}">{escape(text)}</a>')


def bullets(lines: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{_joined(line)}</li>' for line in lines)}</ul>"


def paragraph(text: str, kind: str = "") -> str:
    return f"<p{_class(kind)}>{_joined(text)}</p>"


def card(value: str, label: str, kind: str = "") -> str:
    return (
        f'<div class="{f"card {kind}".strip()}"><b>{_joined(value)}</b>'
        f"<span>{_joined(label)}</span></div>"
    )


def figure(caption: str, picture: str) -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption>{picture}</figure>"


def code(text: str) -> str:
    return f"<pre><code>{escape(text)}</code></pre>"


def folded(title: str, *parts: str, printed: bool = True) -> str:
    """What most readers do not need at first; on paper it is unfolded, or left out."""
    kind = "" if printed else "unprinted"
    return f"<details{_class(kind)}><summary>{escape(title)}</summary>{''.join(parts)}</details>"


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[Any]],
    kinds: Collection[tuple[int, str]] = (),
) -> str:
    """Numbers, which scroll by themselves where they are wider than the page; prose has no head.

    Args:
        kinds: the class of some rows, by their number.
    """
    classes = dict(kinds)
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        f"<tr{_class(classes.get(number, ''))}>"
        + "".join(f"<td>{_cell(cell)}</td>" for cell in row)
        + "</tr>"
        for number, row in enumerate(rows)
    )
    if not any(head):
        return f'<table class="prose"><tbody>{body}</tbody></table>'
    return (
        f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _cell(value: Any) -> str:
    return value if isinstance(value, Markup) else _joined(str(value))


def _joined(text: str) -> str:
    """A number and what belongs to it stay on one line."""
    return escape(text).replace(" %", "&#160;%").replace("± ", "±&#160;")


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
