"""Draw five test cases like the paper's figures: input, reference, prediction, error.

    python docs/figures/draw.py darcy CHECKPOINT docs/figures/darcy.png

The samples are those of the records: seed 0, the first of the test split (numbers from 1200 on).
All cases share one color scale per kind of panel. Domains much wider than high get a row per case.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import llt
from llt.evaluation.figures import ERROR_MAP, FIELD_MAP, Panel, draw_field, png
from llt.problem import find_problem
from llt.solvers.generate import Job, make_settings, solve_one

CASES, FIRST = 5, 1200
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
    args.out.write_bytes(png(draw(problem, cases), dpi=80))


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
            image = draw_field(ax, case.points, problem.grid, panel(kind, case, cases))
            ax.set(xlim=window[0], ylim=window[1])
        (row[0].set_title if wide else row[0].set_ylabel)(kind, fontsize=11)
        bar = figure.colorbar(
            image, ax=row.tolist(), location="bottom" if wide else "right", shrink=0.8
        )
        bar.set_label("" if kind.startswith("input") else problem.output_names[0], fontsize=9)
    for column, case in enumerate(cases):
        top, bottom = by_kind[0, column], by_kind[-1, column]
        (top.set_ylabel if wide else top.set_title)(f"sample {case.number}", fontsize=10)
        name = "error, relative L2" if wide else "relative L2"
        bottom.set_title(f"{name} {case.error:.4f}", fontsize=10)
    return figure


def panel(kind: str, case: Case, cases: list[Case]) -> Panel:
    """A field on the scale of all cases; errors on 2 % of the reference's range."""
    scale = [c.fields["reference" if kind in ("prediction", "error") else kind] for c in cases]
    low, high = float(np.min(scale)), float(np.max(scale))
    values = case.fields[kind].ravel()
    if kind == "error":
        return Panel("", values, 0, 0.02 * (high - low), ERROR_MAP)
    return Panel("", values, low, high, "cividis" if kind.startswith("input") else FIELD_MAP)


def bounds(cases: list[Case]) -> tuple[tuple[float, float], tuple[float, float]]:
    points = np.concatenate([case.points for case in cases])
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.02 * (high - low).max()
    return tuple(zip((low - margin).tolist(), (high + margin).tolist(), strict=True))


if __name__ == "__main__":
    main()
