"""One model in several precisions and with both kinds of kernels: does the error stay the same?

    python benchmarks/precision_table.py darcy.h5 RUNS --epochs 100 --seeds 0,1,2
        [--variants fp32,tf32,fp16+fused] [--mode compile] [--jobs 3] [--json FILE]

Everything but precision and kernels is the preset's. A run is `llt train`, so an interrupted table
goes on where it was. Errors are test errors of the epoch with the least validation error.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import torch
from accuracy_table import COMMAND
from record import write_record

from llt.data import file

VARIANTS = "fp32,tf32,bf16,fp16,bf16+fused,fp16+fused"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--variants", default=VARIANTS, help="as fp32,fp16+fused")
    parser.add_argument("--mode", default="compile")
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    seeds = [int(word) for word in args.seeds.split(",")]
    jobs = list(product(args.variants.split(","), seeds))
    with ThreadPoolExecutor(args.jobs) as pool:
        rows = list(pool.map(lambda job: measure(*job, args), jobs))
    results = {
        variant: summary([row for row in rows if row["variant"] == variant])
        for variant in args.variants.split(",")
    }
    for variant, row in results.items():
        spread = f" +- {row['spread']:.5f}" if row["spread"] is not None else ""
        print(f"{variant:<12}{row['error']:.5f}{spread}")
    if args.json:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        head = {"data hash": file.read(args.data).hash, "epochs": args.epochs, "mode": args.mode}
        head["trainings at a time"] = args.jobs
        write_record(args.json, {**head, "variants": results, "runs": rows}, device)


def measure(variant: str, seed: int, args: argparse.Namespace) -> dict[str, Any]:
    out = args.runs / f"{variant}-{seed}"
    precision, _, kernels = variant.partition("+")
    environment = os.environ | {"LLT_KERNELS": kernels or "reference"}
    if (out / "state.safetensors").is_file():
        words = ["train", "--resume", str(out)]
    else:
        settings = {
            "precision": precision, "seed": seed, "epochs": args.epochs, "mode": args.mode,
        }  # fmt: skip
        words = ["train", str(args.data), "--out", str(out)]
        words += [word for k, v in settings.items() for word in ("--set", f"train.{k}={v}")]
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.with_suffix(".log").open("w") as log:
        for command in ([words] if not (out / "last").is_dir() else []) + [["evaluate", str(out)]]:
            subprocess.run(
                [*COMMAND, *command], check=True, stdout=log, stderr=log, env=environment
            )
    evaluation = json.loads((out / "evaluation.json").read_text())
    metrics = [json.loads(text) for text in (out / "metrics.jsonl").read_text().splitlines()]
    row = {
        "variant": variant,
        "seed": seed,
        "test error": evaluation["relative_l2"],
        "validation error": min(m["val_error"] for m in metrics),
        "train loss": metrics[-1]["train_loss"],
        "training seconds": metrics[-1]["seconds"],
    }
    print(f"{variant:<12}seed {seed}  {row['test error']:.5f}  {row['training seconds']:.0f} s")
    return row


def summary(rows: list[dict[str, Any]]) -> dict[str, float | None]:
    errors = [row["test error"] for row in rows]
    return {"error": mean(errors), "spread": stdev(errors) if len(errors) > 1 else None}


if __name__ == "__main__":
    main()
