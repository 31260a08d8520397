"""One model in several precisions and with both kinds of kernels: does the error stay the same?

    python benchmarks/precision_table.py darcy.h5 RUNS --epochs 100 --seeds 0,1,2
        [--variants fp32,tf32,fp16+fused] [--mode compile] [--jobs 3] [--json FILE]

Everything but precision and kernels is the preset's. A run is `llt train`, so an interrupted table
goes on where it was. Errors are test errors of the epoch with the least validation error.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import torch
from record import write_record
from trained import is_done, outcome, train_command

from llt.data import dataset_file

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
    head = {
        "data hash": dataset_file.read(args.data).hash,
        "epochs": args.epochs,
        "mode": args.mode,
    }
    head["trainings at a time"] = args.jobs
    variants, rows = args.variants.split(","), []
    jobs = product(variants, [int(word) for word in args.seeds.split(",")])
    with ThreadPoolExecutor(args.jobs) as pool:
        for done in as_completed([pool.submit(measure, *job, args) for job in jobs]):
            rows.append(done.result())
            if args.json:  # each time, since a table takes long
                device = "cuda" if torch.cuda.is_available() else "cpu"
                results = {"variants": summaries(variants, rows), "runs": rows}
                write_record(args.json, head | results, device)
    for variant, row in summaries(variants, rows).items():
        spread = f" +- {row['spread']:.5f}" if row["spread"] is not None else ""
        print(f"{variant:<12}{row['error']:.5f}{spread}")


def measure(variant: str, seed: int, args: argparse.Namespace) -> dict[str, Any]:
    out = args.runs / f"{variant}-{seed}"
    precision, _, kernels = variant.partition("+")
    settings = {"precision": precision, "seed": seed, "epochs": args.epochs, "mode": args.mode}
    if not is_done(out):
        words = train_command(args.data, out, settings)
        environment = os.environ | {"LLT_KERNELS": kernels or "reference"}
        with out.with_suffix(".log").open("w") as log:
            subprocess.run(words, check=True, stdout=log, stderr=log, env=environment)
    row = {"variant": variant, "seed": seed} | outcome(out)
    seconds = f"{row['training seconds']:.0f} s"
    print(f"{variant:<12}seed {seed}  {row['test error']:.5f}  {seconds}", flush=True)
    return row


def summaries(variants: list[str], rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Of the variants that have runs."""
    runs = {variant: [row for row in rows if row["variant"] == variant] for variant in variants}
    return {variant: summary(mine) for variant, mine in runs.items() if mine}


def summary(rows: list[dict[str, Any]]) -> dict[str, float | None]:
    errors = [row["test error"] for row in rows]
    return {"error": mean(errors), "spread": stdev(errors) if len(errors) > 1 else None}


if __name__ == "__main__":
    main()
