"""Reading files that may be damaged: one boundary between what libraries raise and one line."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from llt.errors import ConfigError, DataError, LltError


@contextmanager
def reading(path: Path, error: type[LltError] = DataError, *, what: str = "") -> Iterator[None]:
    """Whatever goes wrong within becomes one line that names the file.

    On damaged files libraries raise what they please: ValueError, KeyError, RuntimeError,
    zlib.error, MemoryError. Keep within it what reads, and nothing that computes.
    """
    try:
        with naming(path):
            yield
    except LltError:
        raise
    except FileNotFoundError:
        raise error(f"{path}: no such file") from None
    except Exception as failed:
        reason = " ".join(str(failed).split()) or type(failed).__name__
        raise error(
            f"{path}: {what and f'{what} is '}damaged or cannot be read: {reason}"
        ) from failed


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Refusals within name the file; all else is left as it is."""
    try:
        yield
    except LltError as refused:
        if str(path) in str(refused):
            raise
        raise type(refused)(f"{path}: {refused}") from refused


def check_file(path: Path, error: type[LltError] = DataError) -> None:
    """Refuse what is not a file: a pipe or a device would be waited for without end."""
    if not path.is_file():
        what = "not a regular file" if path.exists() else "no such file"
        raise error(f"{path}: {what}")


def read_toml_file(path: Path) -> dict[str, Any]:
    with reading(path, ConfigError):
        return tomllib.loads(path.read_bytes().decode())


def read_json(path: Path, error: type[LltError] = DataError) -> dict[str, Any]:
    """The object that a JSON file holds."""
    with reading(path, error):
        try:
            found = json.loads(path.read_bytes())
        except ValueError as wrong:
            raise error(f"not valid JSON: {wrong}") from wrong
        if not isinstance(found, dict):
            raise error(f"holds {type(found).__name__}, expected an object {{...}}")
        return found
