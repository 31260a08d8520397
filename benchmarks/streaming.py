"""Seconds and peak device memory of LLT prediction in chunks, against prediction at once.

    python benchmarks/streaming.py [--points 65536 1048576 ...] [--grids 256 1024 ...]
        [--device cuda] [--at-once 131072] [--chunk 16384] [--json FILE]

Points fill the unit cube at random, with 32 neighbors each (the Car preset); grids are square (the
Darcy preset). Weights are random. The neighbor graph is built on the CPU and timed by itself;
prediction begins and ends with arrays in host memory.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from math import pi
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from record import write_record

from llt.data.neighbors import Graph
from llt.data.normalizer import Normalizer
from llt.models import build_model
from llt.models.llt.streaming import CHUNK
from llt.presets import PRESETS
from llt.problem import CAR, DARCY, Problem
from llt.surrogate import Floats, Surrogate

COLUMNS = ("graph s", "chunks s", "chunks GiB", "at once s", "at once GiB", "difference")
Row = dict[str, float | None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, nargs="*", default=[2**16, 2**18, 2**20])
    parser.add_argument("--grids", type=int, nargs="*", default=[256, 512, 1024])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--at-once", type=int, default=2**17, help="largest mesh to compare on")
    parser.add_argument("--chunk", type=int, default=CHUNK)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    problems = [(CAR, n) for n in args.points]
    problems += [(replace(DARCY, grid=(n, n)), n * n) for n in args.grids]
    device, results = torch.device(args.device), {}
    for problem in (CAR, replace(DARCY, grid=(32, 32))):
        measure(problem, 1024, device, args.chunk, compare=True)  # to warm up
    print(f"{'':22s}" + "".join(f"{column:>13s}" for column in COLUMNS))
    for problem, N in problems:
        row = measure(problem, N, device, args.chunk, compare=args.at_once >= N)
        results[f"{problem.name}, {N} points"] = row
        print(f"{problem.name:8s}{N:>14,d}" + "".join(map(cell, row.values())), flush=True)
        if args.json:
            write_record(args.json, results, args.device)


def cell(value: float | None) -> str:
    return f"{'-':>13s}" if value is None else f"{value:13.3g}"


def measure(problem: Problem, N: int, device: torch.device, chunk: int, *, compare: bool) -> Row:
    rng = np.random.default_rng(0)
    x = rng.random((N, problem.space_dim), np.float32)
    a = rng.standard_normal((N, problem.in_channels), np.float32)
    surrogate = random_surrogate(problem, N).to(device)
    start = perf_counter()
    graph = surrogate.graph(x)
    row: Row = dict.fromkeys(COLUMNS)
    row["graph s"] = perf_counter() - start
    u, row["chunks s"], row["chunks GiB"] = timed(
        device,
        lambda: surrogate.predict_chunks(x, a, grid=problem.grid, neighbors=graph, chunk=chunk),
    )
    if compare:
        expected, row["at once s"], row["at once GiB"] = timed(
            device, lambda: at_once(surrogate, x, a, graph)
        )
        row["difference"] = float(np.abs(u - expected).max() / np.abs(expected).max())
    return row


def random_surrogate(problem: Problem, N: int) -> Surrogate:
    """With 32 neighbors or more in reach of nearly every point."""
    torch.manual_seed(0)
    model = build_model("llt", problem, **PRESETS[problem.name].model)
    d, Ca, Cu = problem.space_dim, problem.in_channels, problem.out_channels
    normalizer = Normalizer(
        x_low=[0.0] * d,
        x_size=[1.0] * d,
        a_mean=[0.0] * Ca,
        a_std=[1.0] * Ca,
        u_mean=[0.0] * Cu,
        u_std=[1.0] * Cu,
        t_range=(0.0, 1.0),
    )
    return Surrogate(model, normalizer, radius=(3 * 100 / (4 * pi * N)) ** (1 / 3))


def at_once(surrogate: Surrogate, x: Floats, a: Floats, graph: Graph | None) -> Floats:
    rows = [torch.from_numpy(z[None]).to(surrogate.device) for z in (x, a)]
    neighbors = None if graph is None else torch.from_numpy(graph[None]).to(surrogate.device)
    return surrogate.predict_batch(*rows, neighbors=neighbors)[0].cpu().numpy()


def timed(
    device: torch.device, predict: Callable[[], Floats]
) -> tuple[Floats, float, float | None]:
    """The prediction, its seconds and its peak of device memory."""
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    start = perf_counter()
    u = predict()  # ends with a copy to the host, so nothing is still running
    seconds = perf_counter() - start
    peak = torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else None
    return u, seconds, peak


if __name__ == "__main__":
    main()
