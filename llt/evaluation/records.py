"""Where else a run is known: the card of weights that were packed from it, and its record.

Cards are in the package, records in a checkout of the repository. Both say at which moment the
training began, on which commit and device; by these a run is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import llt
from llt.errors import LltError
from llt.pretrained import HOME
from llt.runtime.reading import read_json

RECORDS = Path(llt.__file__).parents[1] / "benchmarks" / "studies" / "accuracy"
SAME = ("date", "commit", "device")


def known_as(
    env: Mapping[str, Any], cards: Path = HOME, records: Path = RECORDS
) -> Iterator[tuple[str, str]]:
    """What it is called there, and where that is.

    Args:
        env: of the run, as `env.json` has it.
    """
    for path in sorted(cards.glob("*/card.json")):
        if _same(path, "training", env):
            yield "pretrained weights", f"pretrained:{path.parent.name}"
    for path in sorted(records.glob("*.json")):
        if _same(path, "environment", env):
            yield "record", f"benchmarks/studies/accuracy/{path.name}"


def _same(path: Path, part: str, env: Mapping[str, Any]) -> bool:
    try:
        found = read_json(path, LltError).get(part)
    except LltError:  # not worth a report
        return False
    return isinstance(found, dict) and all(found.get(key) == env[key] for key in SAME)
