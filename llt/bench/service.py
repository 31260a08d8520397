"""`llt serve` under load: a process of its own, many clients on loopback, and some that misbehave.

Every client asks for one case after the other and compares the first answer with a prediction in
this process. What the service holds in memory is read from its metrics once a second.
"""

from __future__ import annotations

import http.client
import io
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import mean, quantiles
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

import numpy as np

from llt.bench.misuse import misuse, misuses
from llt.errors import DataError
from llt.prediction.ranges import Range
from llt.surrogate import Surrogate, load

TIMEOUT = 10.0  # seconds that the service waits for a body
WARM = 0.1  # of the time, before memory counts
Arrays = dict[str, Any]


class Tally:
    """Answers of all clients: their statuses and how long they took."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.seconds: list[float] = []
        self._lock = Lock()

    def add(self, status: str, seconds: float) -> None:
        with self._lock:
            self.statuses[status] += 1
            self.seconds.append(seconds)

    def row(self, elapsed: float) -> dict[str, Any]:
        centiles = quantiles(self.seconds, n=100) if len(self.seconds) > 1 else [0.0] * 99
        return {
            "statuses": dict(self.statuses),
            "per_second": len(self.seconds) / elapsed,
            "milliseconds": {f"p{p}": 1e3 * centiles[p - 1] for p in (50, 95, 99)},
        }


def measure_service(
    run: str,
    device: str,
    *,
    clients: int,
    seconds: float,
    points: int,
    tell: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """One client, then many beside such as misbehave.

    Args:
        points: of a case, on point sets.
    """
    surrogate = load(run)
    cases = [random_case(surrogate, points, seed) for seed in range(clients)]
    with running(run, device) as port:
        drive(port, surrogate, cases[:1], min(2.0, seconds))  # what is loaded with the first
        tell("one client")
        alone, elapsed = drive(port, surrogate, cases[:1], seconds / 4)
        results: dict[str, Any] = {"one": alone.row(elapsed)}
        before = _metrics(port)
        tell(f"{clients} clients, and some that misbehave")
        with sampling(port) as memory, misbehaving(port) as misused:
            many, elapsed = drive(port, surrogate, cases, seconds)
        after = _metrics(port)
    batches = {name: after[name] - before[name] for name in ("sum", "count")}
    kept = memory[int(WARM * len(memory)) :]
    return results | {
        "many": many.row(elapsed),
        "times_one": many.row(elapsed)["per_second"] / results["one"]["per_second"],
        "mean_batch": batches["sum"] / max(1.0, batches["count"]),
        "memory_mib": {"least": min(kept), "mean": mean(kept), "most": max(kept)},
        "memory_mib_each_second": [round(value, 1) for value in memory],
        "misuse": {kind: dict(found) for kind, found in misused.items()},
    }


@contextmanager
def running(run: str, device: str) -> Iterator[int]:
    """The port of a service in a process of its own."""
    options = ["--port", "0", "--device", device, "--timeout", str(TIMEOUT)]
    command = [sys.executable, "-m", "llt", "serve", run, *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            lines = iter(process.stderr.readline, "")
            found = next(filter(None, (re.search(r":(\d+); ", line) for line in lines)), None)
            if found is None:
                raise DataError(f"{run}: llt serve did not begin")
            Thread(target=process.stderr.read, daemon=True).start()
            yield int(found[1])
        finally:
            process.terminate()


def random_case(surrogate: Surrogate, points: int, seed: int) -> Arrays:
    """Arrays within the ranges that were trained on."""
    problem, known = surrogate.problem, surrogate.ranges
    if known is None or surrogate.frames is not None or problem.timed:
        raise DataError(f"{problem.name}: choose a run without times, of this version")
    random = np.random.default_rng(seed)

    def between(limits: Range, shape: Sequence[int]) -> Any:
        return random.uniform(limits.low, limits.high, shape).astype(np.float32)

    shape = problem.grid or (points,)
    inputs = dict(zip(problem.input_names + problem.parameter_names, known.inputs, strict=True))
    fields = {name: between(inputs[name], shape) for name in problem.input_names}
    fields |= {name: between(inputs[name], ()) for name in problem.parameter_names}
    if surrogate.mesh is not None:
        x = surrogate.mesh.numpy().reshape(*shape, -1)
    else:
        x = np.stack([between(limits, shape) for limits in known.points], axis=-1)
    return {"points": x, **fields}


def drive(
    port: int, surrogate: Surrogate, cases: Sequence[Arrays], seconds: float
) -> tuple[Tally, float]:
    """One client for every case, all at the same time."""
    tally = Tally()
    known = [(_packed(arrays), _expected(surrogate, arrays)) for arrays in cases]
    begun = monotonic()
    until = begun + seconds

    def client(body: bytes, expected: Arrays) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10 * TIMEOUT)
        checked = False
        while monotonic() < until:
            begin = monotonic()
            try:
                connection.request("POST", "/predict", body, {"Content-Type": "application/x-npz"})
                answer = connection.getresponse()
                content, status = answer.read(), str(answer.status)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                content, status = b"", type(error).__name__
            taken = monotonic() - begin
            if status == "200" and not checked:
                checked = True
                status = status if _agrees(content, expected) else "wrong"
            tally.add(status, taken)
        connection.close()

    threads = [Thread(target=client, args=one) for one in known]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tally, monotonic() - begun


@contextmanager
def sampling(port: int) -> Iterator[list[float]]:
    """MiB of the service, once a second."""
    found: list[float] = []

    def sample() -> None:
        found.append(_metrics(port)["memory"])

    with _repeated(sample, every=1.0):
        yield found


@contextmanager
def misbehaving(port: int) -> Iterator[dict[str, Counter[str]]]:
    """A client of every kind, again and again: how often each was answered how."""
    found = {kind: Counter[str]() for kind in misuses()}
    with _repeated(*(_misuser(port, kind, found[kind]) for kind in misuses()), every=0.2):
        yield found


def _misuser(port: int, kind: str, found: Counter[str]) -> Callable[[], None]:
    def once() -> None:
        found[misuse(port, kind)] += 1

    return once


@contextmanager
def _repeated(*works: Callable[[], None], every: float) -> Iterator[None]:
    """Each in a thread of its own, until the end."""
    end = Event()

    def repeat(work: Callable[[], None]) -> None:
        work()
        while not end.wait(every):
            work()

    threads = [Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        end.set()
        for thread in threads:
            thread.join()


def _metrics(port: int) -> dict[str, float]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10 * TIMEOUT)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {
        "memory": float(values["process_resident_memory_bytes"]) / 2**20,
        "sum": float(values["llt_batch_size_sum"]),
        "count": float(values["llt_batch_size_count"]),
    }


def _packed(arrays: Arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _expected(surrogate: Surrogate, arrays: Arrays) -> Arrays:
    given = {name: value for name, value in arrays.items() if name != "points"}
    found: Arrays = surrogate.predict(arrays["points"], given, check=False)
    return found


def _agrees(content: bytes, expected: Arrays) -> bool:
    with np.load(io.BytesIO(content)) as found:
        return all(
            np.abs(found[name] - u).max() <= 1e-4 * np.abs(u).max() for name, u in expected.items()
        )
