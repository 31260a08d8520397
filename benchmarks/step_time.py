"""Milliseconds per training step of the Darcy preset in every mode, precision, with all kernels.

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

from llt import kernels
from llt.data import file
from llt.data.batches import DeviceData
from llt.data.dataset import Dataset
from llt.data.normalizer import Normalizer
from llt.models import build_model
from llt.presets import PRESETS
from llt.surrogate import Surrogate
from llt.train.step import TrainingStep, matmul_precision

PLAIN = [(m, p) for m in ("eager", "graph", "compile") for p in ("fp32", "tf32", "bf16", "fp16")]
FUSED = [(m, p) for m in ("graph", "compile") for p in ("bf16", "fp16")]
CASES = [(*case, "reference") for case in PLAIN] + [(*case, "fused") for case in FUSED]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--only", default="", help="cases whose name has this, as fused or graph")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    data, device = file.read(args.data), torch.device(args.device)
    cases = CASES if device.type == "cuda" else [("eager", "fp32", "reference")]
    results = {}
    for case in cases:
        name = " ".join(case)
        if args.only in name:
            results[f"{name} (ms)"] = measure(data, device, *case, args.steps)
            print(f"{name:24s}{results[f'{name} (ms)']:8.2f} ms", flush=True)
    if args.json:
        write_record(args.json, results, args.device)


def measure(
    data: Dataset, device: torch.device, mode: str, precision: str, kind: str, steps: int
) -> float:
    """Mean over the steps, after five to warm up."""
    preset = PRESETS["darcy"]
    torch.manual_seed(0)
    network = build_model("llt", data.problem, **preset.model)
    surrogate = Surrogate(network, Normalizer.fit(data)).to(device)
    config = replace(preset.train, precision=precision, augment=True)
    with kernels.use(kind), matmul_precision(precision):
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
