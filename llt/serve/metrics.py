"""What the service counts, in the text format that Prometheus reads."""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Lock

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SIZES = (1, 2, 4, 8, 16, 32, 64)
GONE = 499  # the client left before there was an answer
Labels = tuple[tuple[str, str], ...]


class Histogram:
    """How often values were at most each of some bounds."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds, self.total = bounds, 0.0
        self.counts = [0] * (len(bounds) + 1)

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, labels: Labels = ()) -> Iterator[str]:
        below = 0
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            below += count
            yield _line(f"{name}_bucket", below, (*labels, ("le", f"{bound}")))
        yield _line(f"{name}_sum", self.total, labels)
        yield _line(f"{name}_count", below, labels)


class Metrics:
    """Counts and times, by the path that was asked."""

    def __init__(self, about: Mapping[str, str], now: Mapping[str, Callable[[], float]]) -> None:
        self.about, self.now = about, now  # constants, and what is measured when it is asked for
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds: dict[str, Histogram] = {}
        self.together = Histogram(SIZES)
        self.device_seconds = Histogram(SECONDS)
        self._lock = Lock()

    def answered(self, path: str, status: int, seconds: float) -> None:
        with self._lock:
            self.requests[path, status] += 1
            self.seconds.setdefault(path, Histogram(SECONDS)).add(seconds)

    def asked(self, together: int, seconds: float) -> None:
        with self._lock:
            self.together.add(together)
            self.device_seconds.add(seconds)

    def text(self) -> str:
        with self._lock:
            return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        yield from _head("llt_info", "gauge", "What serves; the value says nothing.")
        yield _line("llt_info", 1, tuple(self.about.items()))
        yield from _head("llt_requests_total", "counter", f"Answers; {GONE}: the client left.")
        for (path, status), count in sorted(self.requests.items()):
            yield _line("llt_requests_total", count, (("path", path), ("status", f"{status}")))
        yield from _head("llt_request_seconds", "histogram", "From the head to the answer.")
        for path, histogram in sorted(self.seconds.items()):
            yield from histogram.lines("llt_request_seconds", (("path", path),))
        yield from _head("llt_batch_size", "histogram", "Requests predicted together.")
        yield from self.together.lines("llt_batch_size")
        yield from _head("llt_predict_seconds", "histogram", "The model at work.")
        yield from self.device_seconds.lines("llt_predict_seconds")
        for name, value in {**self.now, **PROCESS}.items():
            yield from _head(name, "counter" if name.endswith("_total") else "gauge", "")
            yield _line(name, value())


class Counting:
    """Counts the answers of everything that stands behind it.

    Args:
        paths: that are counted by themselves, by their first part; others together.
    """

    def __init__(self, app: ASGIApp, *, metrics: Metrics, paths: frozenset[str]) -> None:
        self.app, self.metrics, self.paths = app, metrics, paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin, status = time.monotonic(), GONE

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, counted)
        finally:
            path = "/" + scope["path"].lstrip("/").partition("/")[0]
            path = path if path in self.paths else "other"
            self.metrics.answered(path, status, time.monotonic() - begin)


def resident_bytes() -> float:
    """Of this process, without its children; 0 where the system does not tell."""
    try:
        return float(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0.0


START = time.time()
PROCESS: Mapping[str, Callable[[], float]] = {
    "process_resident_memory_bytes": resident_bytes,
    "process_cpu_seconds_total": time.process_time,
    "process_start_time_seconds": lambda: START,
}


def _head(name: str, kind: str, words: str) -> Iterator[str]:
    if words:
        yield f"# HELP {name} {words}"
    yield f"# TYPE {name} {kind}"


def _line(name: str, value: float, labels: Labels = ()) -> str:
    inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
    return f"{name}{{{inside}}} {value}" if inside else f"{name} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
