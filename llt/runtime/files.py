"""Files that are never half written: made beside their place, then renamed into it; the cache."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any

ABANDONED = re.compile(r"\..+\.\d+\.part")


def cache_folder() -> Path:
    """What can be made again, but is worth keeping: `LLT_CACHE`, by default ~/.cache/llt."""
    return Path(os.environ.get("LLT_CACHE") or Path.home() / ".cache" / "llt")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to; on success it takes the place of `path`, on failure it is removed."""
    beside = _beside(path)
    with _naming(path, beside):
        make_folder(path.parent)
        try:
            yield beside
            _sync(beside)  # else a power cut could leave the new name with nothing in it
            beside.replace(path)
            _sync(path.parent)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """The same for a folder of files that belong together: the old ones, the new ones or none."""
    beside, aside = _beside(path), _beside(path.with_name(f"{path.name}.old"))
    with _naming(path, beside):
        try:
            make_folder(beside)
            yield beside
            if path.exists():  # a folder cannot be replaced in one step
                path.rename(aside)
            try:
                beside.rename(path)
            except OSError:
                aside.rename(path)
                raise
            _sync(path.parent)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
            if path.exists():  # else the old one is there
                shutil.rmtree(aside, ignore_errors=True)


def check_place(path: Path) -> None:
    """Find out before long work whether a file can be written where its result is to be."""
    beside = _beside(path)
    with _naming(path, beside):
        make_folder(path.parent)
        beside.touch()
        beside.unlink()


def make_folder(path: Path) -> None:
    """A folder, with those above it, that is still there after a power cut."""
    if path.is_dir():
        return
    if path.exists():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    if not path.parent.exists():
        make_folder(path.parent)
    with _naming(path):
        path.mkdir(exist_ok=True)
        _sync(path.parent)


def append_text(path: Path, text: str) -> None:
    """Add to a file, and wait until it is on the disk."""
    with _naming(path), path.open("a", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def is_abandoned(path: Path) -> bool:
    """Whether a name is one of `replacing`: half written, where nobody else is at work."""
    return ABANDONED.fullmatch(path.name) is not None


def remove_abandoned(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes left half written, of one file or of all in a folder."""
    if name is None:
        found = [*folder.rglob(".*.part")]
    else:
        found = [*folder.glob(f".{escape(name)}.*.part")]
    for path in filter(is_abandoned, found):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


@contextmanager
def _naming(path: Path, beside: Path | None = None) -> Iterator[None]:
    """Errors name the file that is known outside; a failing write does not know any."""
    try:
        yield
    except OSError as error:
        if error.filename is None or (beside and str(error.filename).startswith(str(beside))):
            error.filename, error.filename2 = str(path), None
        raise


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows syncs no folders
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # some network file systems sync no folders
        if not (path.is_dir() and error.errno in (errno.EINVAL, errno.ENOTSUP)):
            raise
    finally:
        os.close(descriptor)


def write_bytes(path: Path, content: bytes) -> None:
    with replacing(path) as beside:
        beside.write_bytes(content)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=1) + "\n")
