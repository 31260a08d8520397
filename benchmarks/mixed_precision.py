"""Every model trained for a few steps under bf16 autocast, beside the same steps in TF32.

    python benchmarks/mixed_precision.py darcy.h5 [--device cuda] [--steps 30] [--json FILE]

A model passes when its loss stays finite and near that of TF32 after the same steps from the
same weights. Complex spectra and the like are computed in float32 by the models themselves.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from record import write_record

from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.normalizer import Normalizer
from llt.data.sources import DeviceSource
from llt.models import MODELS, build_model, needs
from llt.presets import find_preset
from llt.runtime.device import matmul_precision
from llt.surrogate import Surrogate
from llt.training.step import TrainingStep


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    data, device = dataset_file.read(args.data), torch.device(args.device)
    rows = {}
    print("model                  loss TF32   bf16   graph")
    for name in MODELS:
        if needs(data.problem) <= MODELS[name].supports:
            rows[name] = row = measure(name, data, device, args.steps)
            print(f"{name:<22}{row['tf32']:>10.4f}{row['bf16']:>7.4f}   {row['graph']}", flush=True)
    if args.json:
        write_record(args.json, {"data hash": data.hash, "models": rows}, args.device)


def measure(name: str, data: Dataset, device: torch.device, steps: int) -> dict[str, Any]:
    row: dict[str, Any] = {"graph": "captured" if device.type == "cuda" else "no"}
    for precision in ("tf32", "bf16"):
        try:
            row[precision] = loss_after(name, data, device, precision, steps, row["graph"] != "no")
        except RuntimeError as error:
            row["graph"] = str(error).splitlines()[0]
            row[precision] = loss_after(name, data, device, precision, steps, capture=False)
    return row


def loss_after(
    name: str, data: Dataset, device: torch.device, precision: str, steps: int, capture: bool
) -> float:
    """Mean loss of a sample over the last third of the steps."""
    preset = find_preset(data.problem.name, name)
    torch.manual_seed(0)
    network = build_model(name, data.problem, **preset.model)
    surrogate = Surrogate(network, Normalizer.fit(data)).to(device)
    config = replace(preset.train, precision=precision)
    with matmul_precision(precision):
        step = TrainingStep(surrogate, DeviceSource(data, data.split("train"), device), config)
        steps = min(steps, step.steps_per_epoch)
        last = max(1, steps // 3)
        step.start_epoch(0)
        network.train()
        if capture:
            step.capture()
        for count in range(steps):
            if count == steps - last:
                step.loss_sum.zero_()
            step()
    return step.loss_sum.item() / last


if __name__ == "__main__":
    main()
