"""Pipe: seconds per sample on one thread beside plain SuperLU, and statistics of the samples.

    python benchmarks/pipe_solver.py [--samples 20] [--json FILE]

Plain means SuperLU as scipy calls it by default (COLAMD, full pivoting), in the same Newton method
on the same samples; seconds are of processor time. The mesh error is that of u_x against twice as
many elements both ways. Flux is by Simpson's rule, exact for the elements, but by trapezoids
beside expected values, which were found so on a few samples when the problem was identified.
"""

from __future__ import annotations

import os

# before numpy starts its threads: all of these are times on one core
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import argparse
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import ArrayLike
from record import write_record
from scipy.integrate import simpson, trapezoid
from scipy.sparse.linalg import splu

from llt.solvers.base import Array, sample_rng
from llt.solvers.pipe import Settings, flow, solve_sample

SETTINGS = Settings()
COMPARED = 3
EXPECTED = {
    "peak u_x at the inlet": "0.25",
    "peak u_x": "0.28 to 0.30",
    "trapezoidal flux, inlet": "0.16666",
    "trapezoidal flux, middle": "0.1664 to 0.1667",
    "trapezoidal flux, outlet": "0.16665",
}

Report = dict[str, float | list[float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20, help="samples for the statistics")
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    args = parser.parse_args()
    solve(0)  # the mesh is numbered once
    report = generate(args.samples) | compare_with_plain_superlu() | measure_mesh_error()
    for name, value in report.items():
        shown = " / ".join(f"{x:.5g}" for x in value) if isinstance(value, list) else f"{value:.4g}"
        expected = f"   expected {EXPECTED[name]}" if name in EXPECTED else ""
        print(f"{name:44s}{shown}{expected}")
    if args.json:
        write_record(args.json, report)


def generate(num_samples: int) -> Report:
    """Minimum, median and maximum over the samples."""
    start = process_time()
    samples = [solve_sample(sample_rng(0, index), SETTINGS) for index in range(num_samples)]
    seconds = (process_time() - start) / num_samples
    u = np.array([sample.outputs["velocity"] for sample in samples])  # (samples, i, j)
    coarse, exact = trapezoid(u, dx=1 / (u.shape[2] - 1)), simpson(u, dx=1 / (u.shape[2] - 1))
    inlet = exact[:, :1]
    columns = (exact[:, :-2:2] + 4 * exact[:, 1::2] + exact[:, 2::2]) / 6
    return {
        "seconds per sample": seconds,
        "samples": num_samples,
        "peak u_x at the inlet": spread(u[:, 0].max(axis=1)),
        "peak u_x": spread(u.max(axis=(1, 2))),
        "lowest u_x": spread(u.min(axis=(1, 2))),
        "trapezoidal flux, inlet": spread(coarse[:, 0]),
        "trapezoidal flux, middle": spread(coarse[:, coarse.shape[1] // 2]),
        "trapezoidal flux, outlet": spread(coarse[:, -1]),
        "flux error, worst column of elements": spread(worst(columns / inlet - 1)),
        "flux error, worst station": spread(worst(exact / inlet - 1)),
        "Newton iterations after Stokes": spread([s.info["newton_iterations"] for s in samples]),
        "residual": spread([sample.info["residual"] for sample in samples]),
    }


def compare_with_plain_superlu() -> Report:
    times: dict[str, list[float]] = {"ours": [], "plain": []}
    deviations = []
    for index in range(COMPARED):
        start = process_time()
        ours = solve(index)
        middle = process_time()
        with patch.object(flow, "splu", plain_superlu):
            plain = solve(index)
        times["plain"].append(process_time() - middle)
        times["ours"].append(middle - start)
        deviations.append(np.abs(ours - plain).max() / np.abs(plain).max())
    return {
        f"ours (s, median of {COMPARED})": float(np.median(times["ours"])),
        f"plain SuperLU (s, median of {COMPARED})": float(np.median(times["plain"])),
        "largest deviation of u_x": float(max(deviations)),
    }


def measure_mesh_error() -> Report:
    errors = []
    for index in range(COMPARED):
        exact = solve(index, Settings(elements=2 * SETTINGS.elements))[::2, ::2]
        errors.append(np.linalg.norm(solve(index) - exact) / np.linalg.norm(exact))
    return {f"mesh error of u_x ({COMPARED} samples)": spread(errors)}


def solve(index: int, settings: Settings = SETTINGS) -> Array:
    return solve_sample(sample_rng(0, index), settings).outputs["velocity"]


def plain_superlu(matrix: Any, **_: Any) -> Any:
    return splu(matrix)


def worst(values: Array) -> Array:
    return np.abs(values).max(axis=1)


def spread(values: ArrayLike) -> list[float]:
    return [float(f(values)) for f in (np.min, np.median, np.max)]


if __name__ == "__main__":
    main()
