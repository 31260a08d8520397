"""The service under load, as docs/serve.md tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llt.bench.markdown import markdown
from llt.bench.record import Record


def service(records: Mapping[str, Record]) -> list[str]:
    """One client, then many."""
    record = records["serve/elasticity-cpu"]
    found, clients = record.results, record.settings["clients"]
    memory = found["memory_mib"]
    rows = [
        ("1", *_row(found["one"]), "1", ""),
        (
            f"{clients} for {record.settings['seconds']:g} s",
            *_row(found["many"]),
            f"{found['mean_batch']:.0f}",
            f"{memory['least']:.0f} to {memory['most']:.0f} MiB",
        ),
    ]
    names = ("clients", "answers", "others", "answers a second", "median", "95 of 100 within")
    return markdown((*names, "requests in a batch", "memory of the service"), rows)


def _row(row: Mapping[str, Any]) -> tuple[str, ...]:
    good = row["statuses"].get("200", 0)
    others = sum(row["statuses"].values()) - good
    times = (f"{row['milliseconds'][name]:.0f} ms" for name in ("p50", "p95"))
    return f"{good:,}", f"{others}", f"{row['per_second']:.1f}", *times
