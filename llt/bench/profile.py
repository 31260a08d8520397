"""Which kernels of LLT's training step take how long, as the profiler sees them.

On the CPU the same for the library's operators.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.profiler import ProfilerActivity

from llt import kernels
from llt.bench.case import Case
from llt.bench.cost import ExecutionMode, Protocol, build_step, executions, require_fused
from llt.bench.timing import release_memory
from llt.runtime.device import matmul_precision


def profile_step(case: Case, protocol: Protocol) -> dict[str, Any]:
    """The protocol's last mode, with the best kernels there are."""
    way = executions("llt", protocol)[-1]
    try:
        times = _profile(case, way, protocol)
    finally:
        release_memory(protocol.device)
    return {
        "case": case.name,
        "way": str(way),
        "microseconds": sum(row["microseconds"] for row in times.values()),
        "calls": sum(row["calls"] for row in times.values()),
        "kernels": times,
    }


def _profile(case: Case, way: ExecutionMode, protocol: Protocol) -> dict[str, dict[str, float]]:
    """By name, the longest first: microseconds and calls in one step."""
    cuda = protocol.device.type == "cuda"
    with kernels.use(way.kernels), matmul_precision(protocol.precision):
        step = build_step(case, "llt", protocol)
        if way.kernels == "fused":
            require_fused(step)
        if way.mode != "eager":
            step.capture(compiled=way.mode == "compile")

        def run(count: int) -> None:
            for _ in range(count):
                step()
                step.position.zero_()  # the epoch has one step only
            if cuda:
                torch.cuda.synchronize(protocol.device)

        run(protocol.warmup)
        activity = ProfilerActivity.CUDA if cuda else ProfilerActivity.CPU
        with torch.profiler.profile(activities=[activity]) as profile:
            run(protocol.repetitions)
    found = {
        event.key: {
            "microseconds": (event.self_device_time_total if cuda else event.self_cpu_time_total)
            / protocol.repetitions,
            "calls": event.count / protocol.repetitions,
        }
        for event in profile.key_averages()
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]["microseconds"]))
