"""Files that are never half written: made beside their place, then renamed into it; the cache."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def cache_folder() -> Path:
    """What can be made again, but is worth keeping: `LLT_CACHE`, by default ~/.cache/llt."""
    return Path(os.environ.get("LLT_CACHE") or Path.home() / ".cache" / "llt")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to; on success it takes the place of `path`, on failure it is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield beside
        beside.replace(path)
    except OSError as error:
        error.filename = error.filename or str(path)  # a failing write does not know its file
        raise
    finally:
        beside.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    with replacing(path) as beside:
        beside.write_bytes(content)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=1) + "\n")
