"""Requests to stop, noted instead of obeyed at once, so that work ends at a good place."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
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
