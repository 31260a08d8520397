"""A process that solves for the server, which goes on answering, and can stop it at any time."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any, ParamSpec, TypeVar

from llt.errors import LltError, SolverError
from llt.runtime.workers import one_thread_each, work_for

T = TypeVar("T")
P = ParamSpec("P")
GENTLE = 10  # how much of the processor background work leaves to others, as in `nice`


class Worker:
    """Started at the first call; one call at a time."""

    def __init__(self, *, gentle: bool = False) -> None:
        self._gentle, self._closed = gentle, False
        self._lock = Lock()
        self._process: Any = None
        self._pipe: Connection | None = None

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a function returns or raises there; SolverError where the process ends."""
        with self._lock:
            try:
                pipe = self._started()
                pipe.send((function, args, kwargs))
                fine, answer = pipe.recv()
            except (EOFError, OSError):
                self._end()
                how = "was stopped" if self._closed else "ended; it may have run out of memory"
                raise SolverError(f"the solver's process {how}") from None
        if not fine:
            raise answer
        return answer

    def start(self) -> None:
        """Before the first call, so that this does not wait for it."""
        with self._lock:
            self._started()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
            process.join()

    def _started(self) -> Connection:
        if self._closed:
            raise EOFError
        if self._pipe is None or not self._process.is_alive():
            self._end()
            # a fresh interpreter: forking a process that runs threads can hang
            context = get_context("spawn")
            self._pipe, far = context.Pipe()
            words = far, os.getpid(), GENTLE * self._gentle
            self._process = context.Process(target=_serve, args=words, daemon=True)
            with one_thread_each():
                self._process.start()
            far.close()
        assert self._pipe is not None
        return self._pipe

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def _serve(pipe: Connection, parent: int, nice: int) -> None:
    work_for(parent)
    if hasattr(os, "nice"):
        os.nice(nice)
    with suppress(EOFError, OSError):
        while True:
            function, args, kwargs = pipe.recv()
            pipe.send(_answer(function, args, kwargs))


def _answer(function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[bool, Any]:
    try:
        return True, function(*args, **kwargs)
    except LltError as error:
        return False, error
    except Exception as error:
        return False, SolverError(f"{type(error).__name__}: {error}")
