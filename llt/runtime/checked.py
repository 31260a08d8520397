"""JSON objects with a checksum of what was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from llt.errors import LltError
from llt.runtime.files import write_json
from llt.runtime.reading import read_json

CHECKSUM = "checksum"


def write_checked(path: Path, value: Mapping[str, Any]) -> None:
    value = {name: part for name, part in value.items() if name != CHECKSUM}
    write_json(path, {**value, CHECKSUM: checksum(value)})


def read_checked(path: Path, error: type[LltError], *, older: bool = False) -> dict[str, Any]:
    """What was written; `older` takes files without a checksum too."""
    return verified(path, read_json(path, error), error, older=older)


def verified(
    path: Path, value: dict[str, Any], error: type[LltError], *, older: bool = False
) -> dict[str, Any]:
    """The object without its checksum, if that is right."""
    written = value.pop(CHECKSUM, None)
    if (written is not None or not older) and written != checksum(value):
        raise error(f"{path}: damaged: it is not what was written")
    return value


def checksum(value: Mapping[str, Any]) -> str:
    return digest(json.dumps(value).encode())


def digest(*parts: bytes) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()[:16]
