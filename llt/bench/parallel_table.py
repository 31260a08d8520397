"""Steps of several processes beside one, as docs/parallel.md tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llt.bench.markdown import Lines, markdown
from llt.bench.record import Records

TITLES = ("", "processes", "one step", "times as fast as one", "sums", "halos")
GROUP_TITLES = ("", "alone", "in a group of one", "times as long", "sums")
SHARING_TITLES = ("", "processes on one GPU", "weights differ by", "loss differs by")


def parallel(records: Records) -> Lines:
    """All problems of the record, each with all its layouts, and what a reader has to know."""
    record = records["parallel/cpu"]
    lines = markdown(TITLES, parallel_rows(record.results))
    return [*lines, "", record.note] if record.note else lines


def one_gpu(records: Records) -> Lines:
    """What one GPU can tell of several processes, once it has been measured."""
    record = records.get("parallel/h200")
    if record is None:
        return ["Not measured yet."]
    group = markdown(GROUP_TITLES, group_rows(record.results))
    lines = [*group, "", *markdown(SHARING_TITLES, sharing_rows(record.results))]
    return [*lines, "", record.note] if record.note else lines


def group_rows(results: Mapping[str, Any]) -> list[tuple[str, ...]]:
    pairs = [(found["title"], found["group of one"]) for found in results.values()]
    return [
        (
            title,
            f"{row['alone_ms']:.3f} ms",
            f"{row['group_ms']:.3f} ms",
            f"{row['ratio']:.3f}",
            _size(row["summed_bytes"]),
        )
        for title, row in pairs
    ]


def sharing_rows(results: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            found["title"],
            "1, once more" if _way(row) == "1" else _way(row),
            f"{row['weights_difference']:.1e}",
            f"{row['loss_difference']:.1e}",
        )
        for found in results.values()
        for row in found["sharing"]
    ]


def parallel_rows(results: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [_row(found["title"], row) for found in results.values() for row in found["layouts"]]


def _row(title: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    way = _way(row)
    return (
        title,
        way,
        f"{row['ms']:,.0f} ms",
        "" if way == "1" else f"{row['times_one']:.2f}",
        _size(row["summed_bytes"]),
        _size(row["halo_bytes"]),
    )


def _way(row: Mapping[str, Any]) -> str:
    """Of a layout: 1, or how many shares or parts."""
    size = row["data"] * row["domain"]
    ways = {(True, False): "shares", (False, True): "parts"}
    way = ways.get((row["data"] > 1, row["domain"] > 1), "shares and parts")
    return "1" if size == 1 else f"{size} {way}"


def _size(number: int) -> str:
    return "" if number < 1000 else f"{number / 1e6:.2f} MB"
