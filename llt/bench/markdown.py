"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Lines = list[str]


def markdown(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Lines:
    return [f"| {' | '.join(row)} |" for row in (titles, ["---"] * len(titles), *rows)]
