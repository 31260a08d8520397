"""Draw five test cases like the paper's figures: input, reference, prediction, error.

    python docs/figures/draw.py darcy CHECKPOINT docs/figures/darcy.png

The samples are those of the records: seed 0, the first of the test split (numbers from 1200 on).
All cases share one color scale per kind of panel. Domains much wider than high get a row per case.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator

import llt
from llt.evaluation.panels import Scale, input_scale, surface
from llt.problem import find_problem
from llt.solvers.generate import Job, make_settings, solve_one

CASES, FIRST = 5, 1200
ERRORS = {"pipe": 0.001}  # the scale of errors, in parts of the reference's range
ERROR = 0.005  # of the others
WINDOWS = {"airfoil": ((-0.5, 1.5), (-1, 1))}  # the far field is 40 chords away


@dataclass(frozen=True)
class Case:
    number: int
    points: np.ndarray  # (N, 2)
    fields: dict[str, np.ndarray]  # what is drawn, by the kind of panel
    error: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem")
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    problem, surrogate = find_problem(args.problem), llt.load(args.checkpoint)
    cases = [solve_case(problem, surrogate, FIRST + index) for index in range(CASES)]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    draw(problem, cases).savefig(args.out, dpi=80)


def solve_case(problem: llt.Problem, surrogate: llt.Surrogate, number: int) -> Case:
    sample = solve_one(Job.of(problem.name, 0, make_settings(problem.name, {})), number)
    inputs = {f"input: {name}": sample.inputs[name] for name in problem.input_names}
    a = np.stack(list(inputs.values()), -1) if inputs else None
    u = sample.outputs[problem.output_names[0]]
    prediction = surrogate.predict(sample.points, a)[..., 0]
    error = np.abs(prediction - u)
    fields = {**inputs, "reference": u, "prediction": prediction, "error": error}
    relative = float(np.linalg.norm(error) / np.linalg.norm(u))
    return Case(number, sample.points.reshape(-1, 2), fields, relative)


def draw(problem: llt.Problem, cases: list[Case]) -> Figure:
    window = WINDOWS.get(problem.name) or bounds(cases)
    width, height = (high - low for low, high in window)
    wide = width > 2 * height
    kinds = list(cases[0].fields)
    size = (3.9, 3.9 * height / width + 0.2) if wide else (2.15, 2.15)
    shape = (len(cases), len(kinds)) if wide else (len(kinds), len(cases))
    extra = (0.3, 0.7) if wide else (0.9, 0)
    figure = Figure(
        figsize=(size[0] * shape[1] + extra[0], size[1] * shape[0] + extra[1]), layout="constrained"
    )
    axes = figure.subplots(*shape, squeeze=False)
    by_kind = axes.T if wide else axes  # (kinds, cases)
    for row, kind in zip(by_kind, kinds, strict=True):
        for ax, case in zip(row, cases, strict=True):
            image = draw_field(ax, problem.grid, case, kind, scale(problem.name, kind, cases))
            ax.set(xlim=window[0], ylim=window[1], xticks=[], yticks=[], aspect="equal")
            ax.spines[:].set_visible(False)
        (row[0].set_title if wide else row[0].set_ylabel)(kind, fontsize=11)
        bar = figure.colorbar(
            image, ax=row.tolist(), location="bottom" if wide else "right", shrink=0.8
        )
        ticks = scale(problem.name, kind, cases).ticks
        bar.ax.tick_params(labelsize=8)
        bar.locator = FixedLocator(ticks) if ticks else MaxNLocator(4)
        bar.update_ticks()
        bar.set_label("" if kind.startswith("input") else problem.output_names[0], fontsize=9)
    for column, case in enumerate(cases):
        top, bottom = by_kind[0, column], by_kind[-1, column]
        (top.set_ylabel if wide else top.set_title)(f"sample {case.number}", fontsize=10)
        name = "error, relative L2" if wide else "relative L2"
        bottom.set_title(f"{name} {case.error:.4f}", fontsize=10)
    return figure


def draw_field(ax: Axes, grid: tuple[int, ...] | None, case: Case, kind: str, scale: Scale) -> Any:
    look = {"cmap": scale.colors, "norm": scale.norm, "rasterized": True}
    x, y, values = *case.points.T, case.fields[kind].ravel()
    if grid is None:
        return ax.tripcolor(surface(case.points), values, shading="gouraud", **look)
    x, y, values = (z.reshape(grid) for z in (x, y, values))
    return ax.pcolormesh(x, y, values, shading="nearest" if scale.ticks else "gouraud", **look)


def scale(problem: str, kind: str, cases: list[Case]) -> Scale:
    """One for all cases."""
    if kind.startswith("input"):
        return input_scale(np.stack([case.fields[kind] for case in cases]))
    shown = [case.fields["reference"] for case in cases]
    low, high = float(np.min(shown)), float(np.max(shown))
    if kind == "error":
        return Scale(colormaps["magma"], Normalize(0, ERRORS.get(problem, ERROR) * (high - low)))
    return Scale(colormaps["viridis"], Normalize(low, high))


def bounds(cases: list[Case]) -> tuple[tuple[float, float], tuple[float, float]]:
    points = np.concatenate([case.points for case in cases])
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.02 * (high - low).max()
    return tuple(zip((low - margin).tolist(), (high + margin).tolist(), strict=True))


if __name__ == "__main__":
    main()
