"""How much of a file is held in memory at once: `LLT_READ_LIMIT`, as 500M or 8G.

Without it the limit is half of the machine's memory. A file that would expand more than a
hundredfold, as no measured or computed field does, may take 256 MiB. Declared sizes are compared
with the limit before anything is allocated.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from llt.errors import ConfigError, DataError

VARIABLE = "LLT_READ_LIMIT"
EXPANSION = 100  # bytes in memory for one in the file
SMALL = 2**28  # bytes that any file may take
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def check_size(path: Path, num_bytes: int, what: str) -> None:
    """Refuse to hold so many bytes of a file in memory."""
    most = read_limit(path)
    if num_bytes > most:
        raise DataError(
            f"{what} would take {_words(num_bytes)} of memory, of this file at most {_words(most)} "
            f"are read at once; if that is right, set {VARIABLE} higher"
        )


def read_limit(path: Path, size: int | None = None) -> int:
    """Bytes that may be held of this file, or of a case with so many bytes in its files."""
    text = os.environ.get(VARIABLE, "")
    if text:
        return _parse(text)
    return min(
        _memory() // 2, max(SMALL, EXPANSION * (path.stat().st_size if size is None else size))
    )


def _parse(text: str) -> int:
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None:
        raise ConfigError(f"{VARIABLE}={text!r}: expected a size as 500M, 8G or 1T")
    return int(float(found[1]) * UNITS[found[2].upper()])


def _memory() -> int:
    """Of the machine; where it does not say, 16 GiB."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**34


def _words(num_bytes: int) -> str:
    size = num_bytes / 2**10
    for unit in ("KiB", "MiB", "GiB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 2**10
    return f"{size:.3g} TiB"
