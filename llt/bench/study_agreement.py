"""Choices that records tell: one that a record knows holds for all, and two must be the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from llt.bench.record import Records
from llt.errors import DataError

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    name: str  # among a record's results
    key: tuple[str, ...]  # what is chosen
    value: str  # the choice; None while it is open
    text: Callable[[Entry], tuple[str, str]]  # both in words


def _rivals(entry: Entry) -> tuple[str, str]:
    where = f"rivals on {entry['data']} in tier {entry['tier']} are"
    return where, ", ".join(entry["models"])


def _rate(entry: Entry) -> tuple[str, str]:
    where = f"with the recipe {entry['recipe']} the rate of {entry['model']} on {entry['data']} is"
    return where, f"{entry['factor']:g} times the recipe's"


RIVALS = Kind("rivals", ("tier", "data"), "models", _rivals)
RATES = Kind("rates", ("data", "recipe", "model"), "factor", _rate)


def agreed(records: Records, kind: Kind) -> list[Entry]:
    """All that were made or are open, each once."""
    found: dict[tuple[Any, ...], tuple[Entry, str]] = {}
    for where, record in records.items():
        for entry in record.results.get(kind.name, ()):  # older records have no rates
            key = tuple(entry[part] for part in kind.key)
            known, place = found.get(key, (entry, where))
            if known[kind.value] and entry[kind.value] and known[kind.value] != entry[kind.value]:
                (what, value), (_, other) = kind.text(entry), kind.text(known)
                raise DataError(
                    f"{where}: {what} {value}, in {place} {other}; "
                    "the same cells cannot have chosen both"
                )
            found[key] = (known, place) if known[kind.value] else (entry, where)
    return [entry for entry, _ in found.values()]
