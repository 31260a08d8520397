"""Processes that work for another."""

from __future__ import annotations

import os
import signal
import time
from threading import Thread


def work_for(parent: int) -> None:
    """Begin as a worker: Ctrl-C is the parent's to handle, and its death ends the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
