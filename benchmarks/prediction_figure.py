"""Draw five test cases like the paper's figures: input, reference, prediction, error.

    python benchmarks/prediction_figure.py darcy CHECKPOINT docs/figures/darcy.png

The samples are those of the records: seed 0, the first of the test split (numbers from 1200 on).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import llt
from llt.evaluate.figures import ERROR_MAP, Panel, draw_field, png
from llt.problem import find_problem
from llt.solvers.generate import Job, make_settings, solve_one

CASES, FIRST = 5, 1200
WINDOWS = {"airfoil": ((-0.5, 1.5), (-1, 1))}  # the far field is 40 chords away


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem")
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    problem, surrogate = find_problem(args.problem), llt.load(args.checkpoint)
    job = Job.of(args.problem, 0, make_settings(args.problem, {}))
    rows = [*(f"input: {name}" for name in problem.inputs), "reference", "prediction", "error"]
    figure = Figure(figsize=(2.3 * CASES + 0.7, 2.15 * len(rows)), layout="constrained")
    axes = figure.subplots(len(rows), CASES)
    for column in range(CASES):
        sample = solve_one(job, FIRST + column)
        a = (
            np.stack([sample.inputs[name] for name in problem.inputs], -1)
            if problem.inputs
            else None
        )
        u = sample.outputs[problem.outputs[0]]
        prediction = surrogate.predict(sample.points, a)[..., 0]
        images = [
            draw_field(axes[row, column], sample.points.reshape(-1, 2), grid(problem, u), panel)
            for row, panel in enumerate(panels(a, u, prediction))
        ]
        error = np.linalg.norm(prediction - u) / np.linalg.norm(u)
        axes[0, column].set_title(f"sample {FIRST + column}", fontsize=10)
        axes[-1, column].set_title(f"relative L2 {error:.4f}", fontsize=10)
        for row in range(len(rows)):
            if args.problem in WINDOWS:
                axes[row, column].set(
                    **dict(zip(("xlim", "ylim"), WINDOWS[args.problem], strict=True))
                )
            axes[row, 0].set_ylabel(rows[row], fontsize=11)
    for row, image in enumerate(images):
        figure.colorbar(image, ax=axes[row, -1], shrink=0.8)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_bytes(png(figure, dpi=80))


def grid(problem: llt.Problem, u: np.ndarray) -> tuple[int, ...] | None:
    return u.shape if problem.grid else None


def panels(a: np.ndarray | None, u: np.ndarray, prediction: np.ndarray) -> list[Panel]:
    low, high = float(u.min()), float(u.max())
    inputs = [] if a is None else [Panel("", a[..., 0].ravel(), None, None, "cividis")]
    difference = np.abs(prediction - u).ravel()
    return [
        *inputs,
        Panel("", u.ravel(), low, high),
        Panel("", prediction.ravel(), low, high),
        Panel("", difference, 0, 0.02 * (high - low), ERROR_MAP),
    ]


if __name__ == "__main__":
    main()
