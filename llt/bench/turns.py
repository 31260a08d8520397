"""A device for one process at a time: processes compile beside each other and measure in turn.

Compilers need the device only when they try which form of a kernel is fastest, at its first launch.
That belongs to a turn like any measurement: tried beside other work, bad forms win and are kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, Protocol

import torch

from llt.errors import LostError

Task = Callable[[], Any]  # picklable


class Lock(Protocol):
    def acquire(self) -> object: ...

    def release(self) -> None: ...


_device: Lock | None = None  # shared by the processes that take turns
_mine = False


def finished(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[int, Any]]:
    """Place and result of every task, as they come; up to `jobs` processes share a device."""
    if jobs == 1:
        for place, task in enumerate(tasks):
            yield place, task()
        return
    spawning = get_context("spawn")  # a process with CUDA in it cannot be forked
    join = (spawning.Lock(), max(1, (os.cpu_count() or 1) // jobs))
    with ProcessPoolExecutor(jobs, spawning, _join, join) as pool:
        places = {pool.submit(task): place for place, task in enumerate(tasks)}
        try:
            for future in as_completed(places):
                yield places[future], future.result()
        except BrokenProcessPool as error:
            raise LostError(
                "a process that measured was killed, as when memory runs out; what was told is "
                "kept, and fewer --jobs need less"
            ) from error
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


@contextmanager
def turn() -> Iterator[None]:
    """Alone on the device, but while something is compiled; at once where nobody shares it."""
    _hear_of_compilers()
    _take()
    try:
        yield
    finally:
        _leave()


def _join(device: Lock, threads: int) -> None:
    """In a new process: take turns from now on."""
    global _device
    _device = device
    torch.set_num_threads(threads)


def _hear_of_compilers() -> None:
    """Before every turn, since the reset after a measurement makes the compiler forget us."""
    if _device is None:
        return
    from torch._dynamo.callback import callback_handler

    if _pause not in callback_handler.start_callbacks:
        callback_handler.register_start_callback(_pause)
        callback_handler.register_end_callback(_resume)


_paused = False


def _pause(*_: Any) -> None:
    global _paused
    _paused = _mine
    _leave()


def _resume(*_: Any) -> None:
    if _paused:
        _take()


def _take() -> None:
    global _mine
    if _device is not None and not _mine:
        _device.acquire()
        _mine = True


def _leave() -> None:
    global _mine
    if _device is not None and _mine:
        try:
            if torch.cuda.is_available():
                torch.cuda.synchronize()  # what was launched in a turn is part of it
        finally:
            _mine = False
            _device.release()
