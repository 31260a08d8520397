"""A process that solves for the server, which goes on answering and can stop it at any time."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import ParamSpec, TypeVar

from llt.errors import BusyError, SolverError
from llt.runtime.apart import Apart, EndedError

T = TypeVar("T")
P = ParamSpec("P")
GENTLE = 10  # how far it stands back behind the server where processors are few, as in `nice`
SECONDS = 600.0  # for one answer


class Worker:
    """Started at the first call; one call at a time."""

    def __init__(self) -> None:
        self._process, self._lock, self._stopped = Apart(), Lock(), False

    def call(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """What a function returns or raises there; SolverError where the process ends."""
        if not self._lock.acquire(blocking=False):
            raise BusyError("the solver is at work already; ask again when it has answered")
        try:
            if self._stopped:
                raise EndedError(late=False)
            work: Callable[..., T] = _gently
            return self._process.ask(SECONDS, None, work, function, *args, **kwargs)
        except EndedError as end:
            how = f"took more than {SECONDS:.0f} s" if end.late else "ended"
            why = "was stopped" if self._stopped else how
            raise SolverError(f"the solver's process {why}") from None
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._stopped = True
        # again and again: whoever asks may have been about to start it
        while not self._lock.acquire(timeout=0.05):
            self._process.stop()
        self._process.close()
        self._lock.release()


def _gently(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    if hasattr(os, "nice") and os.nice(0) < GENTLE:
        os.nice(GENTLE)
    return function(*args, **kwargs)
