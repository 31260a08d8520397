"""One writer at a time: a folder is claimed by a file that says by whom and since when.

The file `.lock` is made where there is none, or not at all, which file systems promise. It is
touched while its owner lives. One whose process is gone, or that no other machine has touched for
long, is taken over with a word.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

from llt.errors import BusyError
from llt.runtime.files import make_folder, remove_abandoned

NAME = ".lock"
BEAT = 20.0  # seconds between touches
GRACE = 2.0  # seconds that an owner may take to write its name
STALE = 300.0  # seconds without a touch after which an owner on another machine counts as gone


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made where need be; `BusyError` where another process does."""
    make_folder(folder)
    path = folder / NAME
    _claim(path)
    remove_abandoned(folder)  # by whoever held it before
    stop = Event()
    beat = Thread(target=_touch, args=(path, stop), daemon=True)
    beat.start()
    try:
        yield
    finally:
        stop.set()
        beat.join()
        with suppress(OSError):  # without its owner it is stale
            path.unlink()


def _claim(path: Path) -> None:
    about = {
        "process": os.getpid(),
        "started": _started(os.getpid()),
        "machine": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        "command": " ".join(Path(word).name for word in sys.argv[:2]),
    }
    while True:
        try:
            file = path.open("x", encoding="utf-8")
        except FileExistsError:
            _remove_if_stale(path)
            continue
        try:
            with file:
                json.dump(about, file)
        except OSError as error:  # on a full disk there is no lock rather than one of nobody
            path.unlink(missing_ok=True)
            error.filename = str(path)
            raise
        return


def _remove_if_stale(path: Path) -> None:
    """Make way for a new lock, or say who holds the old one."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        # of several that come at once, one after the other judges: else one could take the new
        # lock of another for the old one
        with suppress(ImportError, OSError):  # Windows and some file systems have no such turns
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        if os.path.samestat(os.fstat(file.fileno()), path.stat()):
            _judge(path)


def _judge(path: Path) -> None:
    owner, age = _read(path)
    patience = time.monotonic() + GRACE
    while age is not None and not owner and time.monotonic() < patience:
        time.sleep(0.05)  # its owner is writing it, or died doing so
        owner, age = _read(path)
    if age is None:
        return  # it is gone already
    who = f"process {owner.get('process', '?')} on {owner.get('machine', '?')}"
    if _alive(owner, age):
        raise BusyError(
            f"{path.parent}: in use by {who} since {owner.get('since', '?')}; "
            "wait for it, or stop it"
        )
    path.unlink()
    warnings.warn(f"{path.parent}: taken over from {who}, which is gone", stacklevel=5)


def _read(path: Path) -> tuple[dict[str, Any], float | None]:
    """Who holds a lock, and the seconds since its last touch: None where there is no lock."""
    try:
        age = time.time() - path.stat().st_mtime
        owner = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, None
    except ValueError:  # it is not written yet
        return {}, age
    return (owner if isinstance(owner, dict) else {}), age


def _alive(owner: dict[str, Any], age: float) -> bool:
    process = owner.get("process")
    if not owner:
        return False
    if owner.get("machine") != socket.gethostname() or not isinstance(process, int):
        return age < STALE
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return bool(owner.get("started") == _started(process))  # numbers of processes come round again


def _started(process: int) -> str | None:
    """When a process began, in its system's own units; None where the system does not tell."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def _touch(path: Path, stop: Event) -> None:
    while not stop.wait(BEAT):
        try:
            os.utime(path)
        except OSError:
            return  # the folder is gone; whoever removed it knew
