"""Draw test cases of the Darcy problem: input, reference, prediction, error.

    python benchmarks/darcy_figure.py CHECKPOINT docs/figures/darcy.png

The samples are those of the record: seed 0, the first of the test split (numbers from 1200 on).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import llt
from llt.evaluate.figures import ERROR_MAP, Panel, draw_field, png
from llt.solvers.generate import Job, make_settings, solve_one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=1200)
    parser.add_argument("--cases", type=int, default=5)
    args = parser.parse_args()
    surrogate = llt.load(args.checkpoint)
    job = Job.of("darcy", 0, make_settings("darcy", {}))
    figure = Figure(figsize=(2.3 * args.cases + 0.7, 8.6), layout="constrained")
    axes = figure.subplots(4, args.cases)
    for column in range(args.cases):
        sample = solve_one(job, args.first + column)
        a, u = sample.inputs["permeability"], sample.outputs["pressure"]
        prediction = surrogate.predict(sample.points, a[..., None])[..., 0]
        error = np.linalg.norm(prediction - u) / np.linalg.norm(u)
        panels = [
            Panel(f"case {args.first + column}", a.ravel(), 3, 12, "cividis"),
            Panel("", u.ravel(), 0, u.max()),
            Panel("", prediction.ravel(), 0, u.max()),
            Panel(f"error {error:.4f}", np.abs(prediction - u).ravel(), 0, 2e-4, ERROR_MAP),
        ]
        for row, panel in enumerate(panels):
            image = draw_field(axes[row, column], sample.points.reshape(-1, 2), a.shape, panel)
            axes[row, column].set_title(panel.title, fontsize=10)
            if column == args.cases - 1:
                figure.colorbar(image, ax=axes[row, column], shrink=0.8)
    for row, label in enumerate(("permeability", "reference", "prediction", "absolute error")):
        axes[row, 0].set_ylabel(label, fontsize=11)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_bytes(png(figure, dpi=90))


if __name__ == "__main__":
    main()
