"""What a step costs in processes: processor time of all of them, and bytes that each sends.

python -m tests.training.team_cost [-o RECORD.json]

Launches itself by torchrun with 1, 2 and 4 processes. Bytes are what is handed to the collectives,
whatever these make of it on the wire.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist

from llt.bench.record import new_record, write_record
from llt.data.dataset import Dataset
from llt.data.splits import Splits
from llt.models import build_model
from llt.problem import Problem
from llt.runtime.team import team_of
from llt.training.config import TrainConfig
from llt.training.setup import set_up

SIDE, BATCH, STEPS = 64, 4, 3
WAYS = {"alone": (1, 1), "2 shares": (2, 1), "2 parts": (2, 2), "4 parts": (4, 4)}
SIZES = {"dim": 128, "num_layers": 8, "heads": 8}


def made(kind: str) -> Dataset:
    rng = np.random.default_rng(0)
    axis = (np.arange(SIDE) + 0.5) / SIDE
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2)
    x = grid if kind == "grid" else rng.random((SIDE**2, 2))
    a = rng.random((BATCH + 2, SIDE**2, 1)).astype(np.float32)
    return Dataset(
        problem=Problem(
            name="cost",
            space_dim=2,
            inputs=("a",),
            outputs=("u",),
            grid=(SIDE, SIDE) if kind == "grid" else None,
        ),
        points=x.astype(np.float32),
        inputs=a,
        outputs=a * x[:, :1].astype(np.float32),
        splits=Splits.consecutive(BATCH, 1, 1),
    )


def count_sent() -> Counter[str]:
    """Bytes handed to collectives from now on, and how many messages."""
    sent: Counter[str] = Counter()
    reduce, travel = dist.all_reduce, dist.all_to_all_single

    def counted_reduce(z, *args, **words):
        size = z.numel() * z.element_size()
        # the state of a block is a few KB for each sample, gradients are megabytes
        sent["gradients" if size > 2**20 else "states and sums"] += size
        sent["sums"] += 1
        return reduce(z, *args, **words)

    def counted_travel(room, there, *args, **words):
        sent["halo"] += there.numel() * there.element_size()
        sent["exchanges"] += 1
        return travel(room, there, *args, **words)

    dist.all_reduce, dist.all_to_all_single = counted_reduce, counted_travel
    return sent


def steps(kind: str, team, sent: Counter[str]) -> dict[str, float]:
    data = made(kind)
    torch.manual_seed(0)
    model = build_model("llt", data.problem, **SIZES)
    config = TrainConfig(epochs=9, batch_size=BATCH)
    step, _ = set_up(data, model, config, torch.device("cpu"), team)
    step.start_epoch(0)
    step()
    sent.clear()
    begin = time.process_time()
    for number in range(STEPS):
        step.start_epoch(number + 1)
        step()
    return {"cpu_seconds": (time.process_time() - begin) / STEPS} | {
        name: value / STEPS for name, value in sent.items()
    }


def measure(out: Path, domain: int) -> None:
    """The part of one process; the first writes its bytes, and the processor time of all."""
    torch.set_num_threads(1)
    with team_of(domain=domain) as (team, _):
        sent, found = count_sent(), {}
        for kind in ("grid", "points"):
            own = steps(kind, team, sent)
            seconds = torch.tensor(own["cpu_seconds"], dtype=torch.float64)
            if team.size > 1:
                dist.all_reduce(seconds)
            found[kind] = own | {"cpu_seconds": round(seconds.item(), 3)}
        if team.is_first:
            out.write_text(json.dumps(found))


def launch(out: Path, number: int, domain: int) -> dict[str, dict[str, float]]:
    head = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    words = ["--nproc-per-node", str(number), "-m", "tests.training.team_cost"]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run([*head, *words, "--of", str(out), str(domain)], env=env, check=True)
    return json.loads(out.read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--of", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("-o", "--out", type=Path)
    parser.add_argument("--note", default="", help="for the record")
    words = parser.parse_args()
    if words.of:
        measure(Path(words.of[0]), int(words.of[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "found.json"
        results = {way: launch(path, *numbers) for way, numbers in WAYS.items()}
    sys.stdout.write(f"{json.dumps(results, indent=1)}\n")
    if words.out:
        settings = {"side": SIDE, "batch_size": BATCH, **SIZES}
        title = (
            "A step of LLT on 4,096 points in 1, 2 and 4 processes: processor time, and bytes sent"
        )
        record = new_record("cost", title, torch.device("cpu"), results, settings)
        command = "python -m tests.training.team_cost"
        write_record(words.out, replace(record, command=command, note=words.note))


if __name__ == "__main__":
    main()
