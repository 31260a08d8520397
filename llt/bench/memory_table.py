"""What saves memory in a training step, and what it costs, as docs/parallel.md tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llt.bench.markdown import Lines, markdown
from llt.bench.record import Records

TITLES = ("", "", "points in a step", "memory", "one step")
WORDS = {
    "whole": "everything kept",
    "recompute": "`train.recompute=true`",
    "part": "`train.points`",
}


def memory(records: Records) -> Lines:
    """All records, each of a device."""
    found = [record for name, record in records.items() if name.startswith("cost/memory-")]
    rows = [(record.environment["device"], memory_rows(record.results)) for record in found]
    return markdown(TITLES, [(f"{title}, {d}", *row) for d, rs in rows for title, *row in rs])


def memory_rows(results: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            found["title"],
            WORDS[row["way"]],
            f"{row['points']:,}",
            f"{row['bytes'] / 2**30:.2f} GiB",
            f"{row['seconds']:.2f} s" if row["seconds"] > 0.1 else f"{1e3 * row['seconds']:.1f} ms",
        )
        for found in results.values()
        for row in found["ways"]
    ]
