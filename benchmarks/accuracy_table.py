"""Every model of a dataset's kind under one protocol: train, select on validation, test.

    python benchmarks/accuracy_table.py darcy.h5 RUNS --epochs 20 [--jobs 3] [--json FILE]

Each model has its own preset's sizes and the training settings of LLT's preset; only the epochs
are given here. A run is `llt train`, so an interrupted table goes on where it was. A model that
cannot be compiled is trained as a plain CUDA graph, one that cannot be captured step by step:
the mode changes the time, not the numbers beyond rounding.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from record import write_record
from trained import is_done, outcome, train_command

from llt.data import dataset_file
from llt.models import MODELS, needs

FIRST_EPOCH = 240.0  # seconds; a compilation that takes longer is given up


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time")
    parser.add_argument("--models", default="", help="some of them, as llt,fno")
    parser.add_argument("--modes", default="compile,graph,eager", help="first to be tried first")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    data = dataset_file.read(args.data)
    wanted = args.models.split(",") if args.models else list(MODELS)
    names = [name for name in wanted if needs(data.problem) <= MODELS[name].supports]
    with ThreadPoolExecutor(args.jobs) as pool:
        rows = dict(zip(names, pool.map(lambda name: measure(name, args), names), strict=True))
    print("model                 parameters    error  best of  s/epoch  mode")
    for name, row in sorted(rows.items(), key=lambda item: item[1].get("test error", 9.0)):
        print(f"{name:<22}{line(row)}")
    if args.json:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        before = rows_of(args.json, data.hash)
        write_record(args.json, {"data hash": data.hash, "models": before | rows}, device)


def rows_of(path: Path, data_hash: str) -> dict[str, Any]:
    """Rows of an earlier record on the same data, which a table of other models completes."""
    if not path.is_file():
        return {}
    results = json.loads(path.read_text())["results"]
    return results["models"] if results["data hash"] == data_hash else {}


def measure(name: str, args: argparse.Namespace) -> dict[str, Any]:
    out = args.runs / name
    reasons = []
    for mode in args.modes.split(","):
        if train(name, out, args, mode):
            break
        reasons.append(f"{mode}: {last_line(out.with_suffix('.log'))}")
    else:
        return {"failed": reasons}
    row = outcome(out) | {
        "mode": mode,
        "seed": args.seed,
        "epochs": args.epochs,
        "trainings at a time": args.jobs,
    }
    print(f"{name:<22}{line(row)}", flush=True)
    return row | ({"tried before": reasons} if reasons else {})


def train(name: str, out: Path, args: argparse.Namespace, mode: str) -> bool:
    """Start or continue a run; false when it failed or did not finish its first epoch in time."""
    if is_done(out):
        return True
    settings = {"epochs": args.epochs, "seed": args.seed, "mode": mode}
    words = train_command(args.data, out, settings, "--model", name)
    if "--resume" not in words:
        shutil.rmtree(out, ignore_errors=True)  # what a failed mode left
    with out.with_suffix(".log").open("w") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log)
        start = time.monotonic()
        while process.poll() is None:
            time.sleep(0.5)
            started = (out / "metrics.jsonl").is_file()
            if not started and time.monotonic() - start > FIRST_EPOCH:
                process.kill()
    return process.returncode == 0


def last_line(path: Path) -> str:
    lines = path.read_text().splitlines()
    return lines[-1][-200:] if lines else "no output"


def line(row: dict[str, Any]) -> str:
    if "failed" in row:
        return "failed: " + "; ".join(row["failed"])
    seconds = row["training seconds"] / row["epochs"]
    return (
        f"{row['parameters']:>10,}{row['test error']:>9.5f}"
        f"{row['selected epoch']:>6}/{row['epochs']}{seconds:>8.1f}  {row['mode']}"
    )


if __name__ == "__main__":
    main()
