"""Time of predictions from arrays to arrays, and memory of many in one call.

    python benchmarks/predict_time.py [--device cuda] [--model llt] [--cases 200]
        [--elasticity 1400] [--repetitions 100] [--preset darcy] [--json FILE]

Weights are random. Captured predictions are first compared with eager ones. The time of many cases
is per case; the search for neighbors is part of Elasticity's and is also timed by itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from unittest.mock import patch

import numpy as np
import torch
from record import write_record

from llt.bench.case import Case, problem_case
from llt.bench.synthetic import random_dataset
from llt.bench.timing import peak_memory
from llt.models import build_model
from llt.prediction import cache
from llt.presets import find_preset
from llt.surrogate import Floats, Surrogate

Request = tuple[Floats, Floats]
Row = dict[str, float | None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--model", default="llt")
    parser.add_argument("--preset", default="", help="model size; by default each problem's own")
    parser.add_argument("--cases", type=int, default=200, help="of Darcy, in one call")
    parser.add_argument("--elasticity", type=int, default=1400, help="cases in one call")
    parser.add_argument("--repetitions", type=int, default=100, help="of one prediction")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    device, results = torch.device(args.device), {}
    for name, many in (("darcy", args.cases), ("elasticity", args.elasticity)):
        case = problem_case(name)
        surrogate, x, a = prepared(case, args.model, args.preset or name, many)
        surrogate.to(device).precision = args.precision
        row = measure(surrogate, (x, a), args.repetitions)
        results[name] = {"cases": many, **row}
        print(f"{name}, {case.num_points} points, {many} cases")
        for key, value in row.items():
            print(f"  {key:34s}" + ("-" if value is None else f"{value:.4g}"), flush=True)
    if args.json:
        write_record(args.json, {"model": args.model, **results}, args.device)


def prepared(case: Case, model: str, preset: str, many: int) -> tuple[Surrogate, Floats, Floats]:
    """An untrained surrogate and inputs shaped as a user has them."""
    data, problem = random_dataset(case, many), case.problem
    torch.manual_seed(0)
    network = build_model(model, problem, **find_preset(preset, model).model)
    lead = (many, *(problem.grid or (case.num_points,)))
    points = np.broadcast_to(data.points, (many, case.num_points, problem.space_dim))
    x, a = (z.reshape(*lead, z.shape[-1]) for z in (points, data.inputs))
    return Surrogate.fit(network, data), x, a


def measure(surrogate: Surrogate, request: Request, repetitions: int) -> Row:
    x, a = request
    one = x[0], a[0]
    with patch.object(cache, "capture_on", lambda device: None):
        eager = [surrogate.predict(x[:5], a[:5]), surrogate.predict(*one)]
        eager_ms = milliseconds(lambda: surrogate.predict(*one), min(repetitions, 20))
    for _ in range(3):  # eagerly, captured, replayed
        captured = [surrogate.predict(x[:5], a[:5]), surrogate.predict(*one)]
    graph_ms = milliseconds(lambda: surrogate.graph(one[0].reshape(-1, one[0].shape[-1])), 5)
    row: Row = {
        "captured graphs": len(surrogate._captures),
        "captured against eager": max(map(difference, captured, eager)),
        "one prediction, eager, ms": eager_ms,
        "one prediction, ms": milliseconds(lambda: surrogate.predict(*one), repetitions),
        "neighbors of one case, ms": graph_ms,
    }
    surrogate.to(surrogate.device)  # without graphs, so that their memory counts
    with peak_memory(surrogate.device) as peak:
        first = surrogate.predict(x, a)
    row["all cases, peak MiB"] = peak.mib
    times = []
    for _ in range(3):
        start = perf_counter()
        again = surrogate.predict(x, a)
        times.append((perf_counter() - start) * 1e3)
    row["all cases, ms a case"] = min(times) / len(x)
    row["again against first"] = difference(again, first)
    return row


def milliseconds(work: Callable[[], object], repetitions: int) -> float:
    """Median; a prediction ends on the host, so nothing is still running."""
    times = []
    for _ in range(repetitions):
        start = perf_counter()
        work()
        times.append((perf_counter() - start) * 1e3)
    return median(times)


def difference(found: Floats, expected: Floats) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


if __name__ == "__main__":
    main()
