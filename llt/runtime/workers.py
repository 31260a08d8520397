"""Processes that work for another, many of them at once; or any executor that does."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from threading import Thread
from typing import TypeVar

from llt.runtime.signals import requests_to_stop

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# work that an executor is given at once: enough for a large cluster, while the results that wait
# here to be taken do not fill the memory
AHEAD = 1024
T = TypeVar("T")
R = TypeVar("R")


def in_parallel(
    work: Callable[[T], R], items: Iterable[T], *, workers: int, on_done: Callable[[T, R], None]
) -> None:
    """Do all the work in processes; what it raises is raised here, results come in any order.

    A request to stop waits for what has begun and ends as `KeyboardInterrupt`; a process that
    dies raises `BrokenProcessPool`.
    """
    with (
        one_thread_each(),
        requests_to_stop() as stopped,
        # a fresh interpreter per worker: forking a process that runs threads can hang
        ProcessPoolExecutor(
            workers, get_context("spawn"), initializer=work_for, initargs=(os.getpid(),)
        ) as pool,
    ):
        # a few ahead, so that no worker waits and a stop has little to wait for
        _work_off(pool, work, items, ahead=2 * workers, stopped=stopped, on_done=on_done)


def in_executor(
    executor: Executor,
    work: Callable[[T], R],
    items: Iterable[T],
    *,
    on_done: Callable[[T, R], None],
) -> None:
    """The same with an executor that somebody else made, which goes on to exist."""
    with requests_to_stop() as stopped:
        _work_off(executor, work, items, ahead=AHEAD, stopped=stopped, on_done=on_done)


def _work_off(
    executor: Executor,
    work: Callable[[T], R],
    items: Iterable[T],
    *,
    ahead: int,
    stopped: Sequence[int],
    on_done: Callable[[T, R], None],
) -> None:
    todo, running, failed = iter(items), dict[Future[R], T](), list[Future[R]]()
    try:
        while not (stopped or failed):
            more = islice(todo, ahead - len(running))
            running |= {executor.submit(work, item): item for item in more}
            if not running:
                return
            done, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            failed = [future for future in done if not _succeeded(future)]
            for future in done.difference(failed):
                on_done(running.pop(future), future.result())
    finally:
        begun = [future for future in running if not future.cancel()]
    # what has begun is not thrown away
    for future in filter(_succeeded, wait(begun).done):
        on_done(running.pop(future), future.result())
    for future in failed:
        future.result()  # raises
    raise KeyboardInterrupt


def _succeeded(future: Future[R]) -> bool:
    return not future.cancelled() and future.exception() is None


def work_for(parent: int) -> None:
    """Begin as a worker: Ctrl-C is the parent's to handle, and its death ends the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Workers already fill the cores; more threads in each would only get in the way."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
