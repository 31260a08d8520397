"""Times are those of single calls, in order."""

import time

import torch

from llt.bench.timing import peak_memory, times_ms

CPU = torch.device("cpu")


def test_every_call_has_its_own_time():
    naps = iter((0.0, 0.03, 0.0))
    times = times_ms(lambda: time.sleep(next(naps)), 3, CPU)
    assert len(times) == 3
    assert times[1] > 30
    assert max(times[0], times[2]) < times[1]


def test_the_cpu_reports_no_memory():
    with peak_memory(CPU) as peak:
        torch.zeros(1000)
    assert peak.mib is None
