"""Milliseconds per training step of the Darcy preset in every mode, precision, with all kernels.

    python benchmarks/step_time.py darcy.h5 [--device cuda] [--steps 50] [--model llt]
        [--only "compile fp16 fused"] [--kernels 30] [--json FILE]

The step is complete: gather, augment, forward, loss, backward, clip, update. With --kernels the
profiler says which kernels of a captured step take longest.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from record import write_record

from llt import kernels
from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.normalizer import Normalizer
from llt.data.sources import DeviceSource
from llt.models import build_model
from llt.presets import find_preset
from llt.runtime.device import matmul_precision
from llt.surrogate import Surrogate
from llt.training.step import TrainingStep

PLAIN = [(m, p) for m in ("eager", "graph", "compile") for p in ("fp32", "tf32", "bf16", "fp16")]
FUSED = [(m, p) for m in ("graph", "compile") for p in ("bf16", "fp16")]
CASES = [(*case, "reference") for case in PLAIN] + [(*case, "fused") for case in FUSED]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--model", default="llt")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--only", default="", help="cases whose name has this, as fused or graph")
    parser.add_argument("--kernels", type=int, default=0, help="how many to list")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    data, device = dataset_file.read(args.data), torch.device(args.device)
    cases = CASES if device.type == "cuda" else [("eager", "fp32", "reference")]
    results = {}
    for case in cases:
        name = " ".join(case)
        if args.only not in name or (args.model != "llt" and case[-1] == "fused"):
            continue
        with prepared(data, device, args.model, *case) as step:
            found: dict[str, Any] = {"ms": milliseconds(step, args.steps, device)}
            print(f"{args.model} {name:24s}{found['ms']:8.2f} ms", flush=True)
            if args.kernels:
                found["kernels"] = longest(step, args.kernels)
        results[f"{args.model} {name}"] = found
        torch.compiler.reset()
    if args.json:
        write_record(args.json, {"data hash": data.hash, **results}, args.device)


@contextmanager
def prepared(
    data: Dataset, device: torch.device, model: str, mode: str, precision: str, kind: str
) -> Iterator[TrainingStep]:
    preset = find_preset("darcy", model)
    torch.manual_seed(0)
    network = build_model(model, data.problem, **preset.model)
    surrogate = Surrogate(network, Normalizer.fit(data)).to(device)
    config = replace(preset.train, precision=precision, augment=True)
    with kernels.use(kind), matmul_precision(precision):
        step = TrainingStep(surrogate, DeviceSource(data, data.split("train"), device), config)
        step.start_epoch(0)  # capturing reads a batch
        if mode != "eager":
            step.capture(compiled=mode == "compile")
        yield step


def milliseconds(step: TrainingStep, steps: int, device: torch.device) -> float:
    """Mean over the steps, after five to warm up."""
    for count in (5, steps):
        synchronize(device)
        start = perf_counter()
        run(step, count)
        synchronize(device)
    return (perf_counter() - start) / steps * 1e3


def run(step: TrainingStep, count: int) -> None:
    for index in range(count):
        if index % step.steps_per_epoch == 0:
            step.start_epoch(0)
        step()


def longest(step: TrainingStep, count: int, steps: int = 5) -> dict[str, dict[str, float]]:
    """Kernels by name: microseconds in a step, and how many there are."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        run(step, steps)
        torch.cuda.synchronize()
    events = sorted(profile.key_averages(), key=lambda event: -event.self_device_time_total)
    rows = {
        event.key[:120]: {
            "us": event.self_device_time_total / steps,
            "number": event.count / steps,
        }
        for event in events
    }
    total = sum(row["us"] for row in rows.values())
    print(f"  {total:.0f} us in {sum(row['number'] for row in rows.values()):.0f} kernels")
    for name, row in list(rows.items())[:count]:
        print(f"  {row['us']:8.1f} us {row['number']:6.1f}  {name[:100]}")
    return rows


def synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
