"""Processes of one training meet, and part: one line says what went wrong, whoever it happens to.

An error may come to one process, whose end the others only notice, or to all alike. The first to
have one speaks; what the others have to say is the same, or follows from it.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import torch.distributed as dist
from torch.distributed.rendezvous import rendezvous

from llt.errors import ConfigError, LltError, LostError
from llt.runtime.place import Place, meeting_place
from llt.runtime.signals import obeyed_later

PATIENCE = timedelta(minutes=5)  # for the others to begin
WAIT = timedelta(minutes=10)  # for a process that does not answer
LAST_WORDS = 5.0  # seconds that a process has to say what went wrong; launchers wait for 30


@contextmanager
def meeting(place: Place, backend: str) -> Iterator[None]:
    """A process group; a `LostError` where another process is lost."""
    store = _join(place, backend)
    try:
        with obeyed_later(LAST_WORDS), _one_speaks(store), _losses(place):
            yield
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def _join(place: Place, backend: str) -> Any:
    """Meet the others; gives what all can write to and read from."""
    host, port = meeting_place()
    os.environ |= {"MASTER_ADDR": host, "MASTER_PORT": str(port)}
    try:
        if place.rank:  # the first one opens it; torch would wait with pages of messages
            _await(host, port)
        rank, size = place.rank, place.size
        store, _, _ = next(rendezvous("env://", rank, size, timeout=PATIENCE))
        store.set_timeout(WAIT)
        dist.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=WAIT)
    except (RuntimeError, ValueError, OSError) as error:
        alone = ConfigError(
            f"{place} does not find the others at {host}:{port}: {_line(error)}; all must be "
            "started, and reach each other there"
        )
        alone.heard = True  # by nobody else
        raise alone from None
    return store


def _await(host: str, port: int) -> None:
    """Until something answers at an address."""
    end = time.monotonic() + PATIENCE.total_seconds()
    while True:
        try:
            socket.create_connection((host, port), timeout=PATIENCE.total_seconds()).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
        time.sleep(0.2)


@contextmanager
def _one_speaks(store: Any) -> Iterator[None]:
    """Decide which process says what went wrong."""
    try:
        yield
    except (LltError, OSError) as error:
        if not isinstance(error, LltError):
            _is_first_to_speak(store)
        elif error.heard is None:
            error.heard = _is_first_to_speak(store)
        raise


def _is_first_to_speak(store: Any) -> bool:
    try:
        return bool(store.add("spoken", 1) == 1)
    except RuntimeError:  # it has gone with the process that kept it
        return True


@contextmanager
def _losses(place: Place) -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, LltError) or not _is_lost(error):
            raise
        raise LostError(f"{place} lost another one: {_line(error)}") from error


def _is_lost(error: RuntimeError) -> bool:
    words = ("connection", "gloo", "nccl", "timed out", "peer", "socket")
    return any(word in str(error).lower() for word in words)


def _line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0][:200]
