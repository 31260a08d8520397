"""Milliseconds per training step of the Darcy preset in every mode and precision.

    python benchmarks/step_time.py darcy.h5 [--device cuda] [--steps 50] [--json FILE]

The step is complete: gather, augment, forward, loss, backward, clip, update.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import torch
from record import write_record

from llt.data import file
from llt.data.batches import DeviceData
from llt.data.dataset import Dataset
from llt.data.normalizer import Normalizer
from llt.models import build_model
from llt.presets import PRESETS
from llt.surrogate import Surrogate
from llt.train.step import TrainingStep, matmul_precision

CUDA_CASES = [(m, p) for m in ("eager", "graph", "compile") for p in ("fp32", "tf32", "bf16")]
CPU_CASES = [("eager", "fp32")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    data, device = file.read(args.data), torch.device(args.device)
    results = {}
    for mode, precision in CUDA_CASES if device.type == "cuda" else CPU_CASES:
        results[f"{mode} {precision} (ms)"] = measure(data, device, mode, precision, args.steps)
        print(f"{mode:8s}{precision:6s}{results[f'{mode} {precision} (ms)']:8.2f} ms", flush=True)
    if args.json:
        write_record(args.json, results, args.device)


def measure(data: Dataset, device: torch.device, mode: str, precision: str, steps: int) -> float:
    """Mean over the steps, after five to warm up."""
    preset = PRESETS["darcy"]
    torch.manual_seed(0)
    network = build_model("llt", data.problem, **preset.model)
    surrogate = Surrogate(network, Normalizer.fit(data)).to(device)
    config = replace(preset.train, precision=precision, augment=True)
    with matmul_precision(precision):
        step = TrainingStep(surrogate, DeviceData(data, data.split("train"), device), config)
        step.start_epoch(0)
        if mode != "eager":
            step.capture(compiled=mode == "compile")
        for count in (5, steps):
            synchronize(device)
            start = perf_counter()
            for _ in range(count):
                step()
            synchronize(device)
    return (perf_counter() - start) / steps * 1e3


def synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
