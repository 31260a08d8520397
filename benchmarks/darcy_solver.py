"""Seconds per 421 x 421 Darcy solve: ours on one thread, scipy's sparse direct solvers, a GPU.

    python benchmarks/darcy_solver.py [--samples 3] [--device cuda] [--json FILE]

The direct solvers are given the assembled matrix; ours starts from the nodal permeability.
"""

from __future__ import annotations

import os

# before numpy starts its threads: all of these are times on one core
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import argparse
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from record import write_record
from scipy.sparse.linalg import splu, spsolve

from llt.solvers import darcy, random_field
from llt.solvers.base import Array, Solution, sample_rng

SETTINGS = darcy.Settings()
GPU_SAMPLES = 1200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=3, help="samples to time on one core")
    parser.add_argument("--device", default="cpu", help="cuda to time batches on a GPU as well")
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    args = parser.parse_args()
    report = compare_on_one_core(args.samples)
    if args.device != "cpu":
        report |= time_batches(args.device, args.samples)
    for name, value in report.items():
        print(f"{name:44s}{value:10.3g}")
    if args.json:
        write_record(args.json, report, args.device)


def conjugate_gradients(a: Array, matrix: sp.csc_array, f: Array) -> Array:
    return darcy.solve(a, f, face_mean="arithmetic")[0][1:-1, 1:-1].ravel()


def minimum_degree(a: Array, matrix: sp.csc_array, f: Array) -> Array:
    factors = splu(matrix, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    return factors.solve(f[1:-1, 1:-1].ravel())


def column_minimum_degree(a: Array, matrix: sp.csc_array, f: Array) -> Array:
    return spsolve(matrix, f[1:-1, 1:-1].ravel())


SOLVERS = {
    "CG (s)": conjugate_gradients,
    "splu MMD_AT_PLUS_A (s)": minimum_degree,
    "spsolve COLAMD (s)": column_minimum_degree,
}


def compare_on_one_core(num_samples: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in SOLVERS}
    deviations = []
    for index in range(num_samples):
        a = nodal_permeability(index)
        matrix, f, solutions = assemble(a), np.ones_like(a), []
        for name, solver in SOLVERS.items():
            start = perf_counter()
            solutions.append(solver(a, matrix, f))
            times[name].append(perf_counter() - start)
        ours, direct, _ = solutions
        deviations.append(relative_deviation(ours, direct))
    report = {name: median(seconds) for name, seconds in times.items()}
    ours_s, *direct_s = report.values()
    return report | {
        "best direct / CG": min(direct_s) / ours_s,
        "CG against direct (max relative deviation)": max(deviations),
        "whole CPU sample (s)": seconds_per_sample(num_samples),
    }


def relative_deviation(values: Array, reference: Array) -> float:
    return float(np.linalg.norm(values - reference) / np.linalg.norm(reference))


def seconds_per_sample(num_samples: int) -> float:
    times = []
    for index in range(num_samples):
        start = perf_counter()
        darcy.solve_sample(sample_rng(0, index), SETTINGS)
        times.append(perf_counter() - start)
    return median(times)


def nodal_permeability(index: int) -> Array:
    maps = darcy.linear_maps(SETTINGS)
    noise = random_field.white_noise(sample_rng(0, index), SETTINGS.resolution)
    field = random_field.evaluate(noise, maps.sigma, maps.basis)
    a = np.where(field >= 0, SETTINGS.high, SETTINGS.low)
    return maps.to_nodes @ a @ maps.to_nodes.T


def assemble(a: Array) -> sp.csc_array:
    """The five-point matrix with arithmetic face means on the interior nodes."""
    n = len(a)
    rows = (a[:-1] + a[1:])[:, 1:-1] / 2  # (n-1, n-2)
    columns = (a[:, :-1] + a[:, 1:])[1:-1] / 2  # (n-2, n-1)
    diagonal = rows[:-1] + rows[1:] + columns[:, :-1] + columns[:, 1:]
    east = columns[:, 1:].copy()
    # the last node of a row has no link to the first of the next
    east[:, -1] = 0
    upper = sp.diags_array([-east.ravel()[:-1], -rows[1:-1].ravel()], offsets=[1, n - 2])
    return sp.csc_array((sp.diags_array(diagonal.ravel()) + upper + upper.T) * (n - 1) ** 2)


def time_batches(device: str, num_checked: int) -> dict[str, float]:
    """From the random numbers to the stored samples in host memory."""
    from llt.solvers import darcy_torch

    darcy_torch.solve_samples([sample_rng(1, 0)], SETTINGS, device=device)
    rngs = [sample_rng(0, index) for index in range(GPU_SAMPLES)]
    start = perf_counter()
    results = darcy_torch.solve_samples(rngs, SETTINGS, device=device)
    seconds = perf_counter() - start
    deviations = []
    for index, result in enumerate(results[:num_checked]):
        assert isinstance(result, Solution)
        expected = darcy.solve_sample(sample_rng(0, index), SETTINGS)
        deviations.append(
            relative_deviation(result.outputs["pressure"], expected.outputs["pressure"])
        )
    return {
        f"{GPU_SAMPLES} samples on {device} (s)": seconds,
        "draws refused": sum(not isinstance(result, Solution) for result in results),
        f"{device} against CPU (max relative deviation)": max(deviations),
    }


if __name__ == "__main__":
    main()
