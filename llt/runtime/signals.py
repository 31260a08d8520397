"""Requests to stop, noted instead of obeyed at once, so that work ends at a good place."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from types import FrameType

STOPPING = [signal.SIGINT, signal.SIGTERM]
if hasattr(signal, "SIGHUP"):  # the terminal is closed; Windows has no such signal
    STOPPING.append(signal.SIGHUP)


@contextmanager
def requests_to_stop() -> Iterator[list[int]]:
    """A list that gets the number of every such signal."""
    caught: list[int] = []

    def remember(signum: int, frame: FrameType | None) -> None:
        caught.append(signum)

    try:
        before = {s: signal.signal(s, remember) for s in STOPPING}
    except ValueError:  # not the main thread: whoever runs it handles signals
        yield caught
        return
    try:
        yield caught
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


@contextmanager
def obeyed_later(seconds: float) -> Iterator[None]:
    """SIGTERM ends this process only so many seconds after it came.

    A launcher sends it to all others as soon as one process is lost: they need a moment to say
    what happened. So after an error it stays like that until the process ends.
    """

    def wait(signum: int, frame: FrameType | None) -> None:
        timer = Timer(seconds, os._exit, [128 + signum])
        timer.daemon = True
        timer.start()

    try:
        before = signal.signal(signal.SIGTERM, wait)
    except ValueError:  # not the main thread: whoever runs it handles signals
        yield
        return
    yield
    signal.signal(signal.SIGTERM, before)
