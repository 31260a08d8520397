"""Cases of many files: what one of them names must lie in the case's own folder."""

from __future__ import annotations

from pathlib import Path

from llt.errors import DataError


def check_inside(folder: Path, path: Path, by: str) -> None:
    """Refuse a path that leads out of a folder, also through a link."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DataError(f"{by} names {path}, which is not in {folder}; put a copy there")
