"""Steps of several processes beside one, as docs/parallel.md tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llt.bench.markdown import Lines, markdown
from llt.bench.record import Records

TITLES = ("", "processes", "one step", "times as fast as one", "sums", "halos")


def parallel(records: Records) -> Lines:
    """All problems of the record, each with all its layouts, and what a reader has to know."""
    record = records["parallel/cpu"]
    lines = markdown(TITLES, parallel_rows(record.results))
    return [*lines, "", record.note] if record.note else lines


def parallel_rows(results: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [_row(found["title"], row) for found in results.values() for row in found["layouts"]]


def _row(title: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    size = row["data"] * row["domain"]
    ways = {(False, False): "1", (True, False): "shares", (False, True): "parts"}
    way = ways.get((row["data"] > 1, row["domain"] > 1), "shares and parts")
    return (
        title,
        way if size == 1 else f"{size} {way}",
        f"{row['ms']:,.0f} ms",
        "" if size == 1 else f"{row['times_one']:.2f}",
        _size(row["summed_bytes"]),
        _size(row["halo_bytes"]),
    )


def _size(number: int) -> str:
    return "" if number < 1000 else f"{number / 1e6:.2f} MB"
