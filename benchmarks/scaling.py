"""How generating samples scales with processes, against one process in the same run.

python benchmarks/scaling.py pipe airfoil elasticity --workers 16 [--json FILE]
"""

from __future__ import annotations

import argparse
import os

# one thread per process, as `llt generate` runs its workers
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from record import write_record

from llt.solvers.generate import Job, make_settings, solve_one

SECONDS_EACH = 6.0  # of work per process and problem


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="+")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    results = {problem: measure(problem, args.workers) for problem in args.problems}
    for problem, row in results.items():
        print(f"{problem:12s}" + "  ".join(f"{name} {value:.3g}" for name, value in row.items()))
    if args.json:
        write_record(args.json, results)


def measure(problem: str, workers: int) -> dict[str, float]:
    job = Job.of(problem, 0, make_settings(problem, {}))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        pool.submit(solve_one, job, 0).result()  # fills compilation caches
        one = seconds(pool, job, 3) / 3
        each = max(2, int(SECONDS_EACH / one))
        seconds(pool, job, workers * 2)  # every process has imported and compiled
        many = seconds(pool, job, workers * each) / (workers * each)
    return {
        "seconds per sample, one process": one,
        f"seconds per sample, {workers} processes": many,
        "speedup": one / many,
    }


def seconds(pool: ProcessPoolExecutor, job: Job, count: int) -> float:
    """Wall time for a number of samples, one after the other when there are only a few."""
    start = perf_counter()
    if count <= 3:
        for index in range(count):
            pool.submit(solve_one, job, index).result()
    else:
        list(pool.map(solve_one, [job] * count, range(count)))
    return perf_counter() - start


if __name__ == "__main__":
    main()
