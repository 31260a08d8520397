"""Times are those of single calls, in order."""

import torch

from llt.bench import timing
from llt.bench.timing import peak_memory, times_ms

CPU = torch.device("cpu")


def test_every_call_has_its_own_time(monkeypatch):
    clock, calls = iter((0.0, 1.0, 5.0, 7.0)), []
    monkeypatch.setattr(timing, "perf_counter", lambda: next(clock))
    assert times_ms(lambda: calls.append(None), 3, CPU) == [1000, 4000, 2000]
    assert len(calls) == 3


def test_the_cpu_reports_no_memory():
    with peak_memory(CPU) as peak:
        torch.zeros(1000)
    assert peak.mib is None
