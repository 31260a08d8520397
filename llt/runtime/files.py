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
        _sync(beside)  # else a power cut could leave the new name with nothing in it
        beside.replace(path)
        _sync(path.parent)
    except OSError as error:
        error.filename = error.filename or str(path)  # a failing write does not know its file
        raise
    finally:
        beside.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows syncs no folders
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_bytes(path: Path, content: bytes) -> None:
    with replacing(path) as beside:
        beside.write_bytes(content)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=1) + "\n")
