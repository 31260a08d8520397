"""Pieces of a page; what is text is escaped here, and what is markup is passed on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")


def page(title: str, sections: Iterable[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        '<meta name="color-scheme" content="light dark"/>'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><main>{''.join(sections)}</main></body></html>\n"
    )


def section(title: str, *parts: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>\n"


def paragraph(text: str, kind: str = "") -> str:
    # a number and its percent sign stay on one line
    return f"<p{_class(kind)}>{escape(text).replace(' %', '&#160;%')}</p>"


def card(value: str, label: str, kind: str = "") -> str:
    return (
        f'<div class="{f"card {kind}".strip()}"><b>{escape(value)}</b>'
        f"<span>{escape(label)}</span></div>"
    )


def figure(caption: str, picture: str) -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption>{picture}</figure>"


def code(text: str) -> str:
    return f"<pre><code>{escape(text)}</code></pre>"


def folded(title: str, *parts: str) -> str:
    """What most readers do not need at first."""
    return f"<details><summary>{escape(title)}</summary>{''.join(parts)}</details>"


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
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in row)
        + "</tr>"
        for number, row in enumerate(rows)
    )
    if not any(head):
        return f'<table class="prose"><tbody>{body}</tbody></table>'
    return (
        f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
