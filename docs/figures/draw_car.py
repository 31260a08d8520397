"""Draw three test cars like the paper's figures: their surface pressure, and a slice of the air.

    python docs/figures/draw_car.py RUN docs/figures/car.png

Predictions stand above references, which share a color scale. The slice is the air's speed near
the middle plane of the car.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure, SubFigure
from matplotlib.path import Path as Outline
from scipy.interpolate import griddata

import llt
from llt.data.sample import Sample
from llt.evaluation.metrics import open_data, question
from llt.evaluation.panels import Panel, View, draw_panel, field_scale, find_view, panel_height

CASES = 3
THICK, AROUND = 0.08, 0.5  # half of the slice and the air that is shown, in sizes of the car
FINE = 150  # points along each axis of the slice
WIDTH, TITLE = 2.6, 0.25  # of a panel and of its title, in inches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, help="Another dataset file.")
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    draw(args.run, args.data).savefig(args.out, dpi=150)


def draw(run: Path, data_path: Path | None = None) -> Figure:
    surrogate = llt.load(run)
    data = open_data(run, surrogate, data_path)
    columns = []
    for index in data.split("test")[:CASES]:
        sample = data.sample(int(index))
        prediction = surrogate.predict(*question(data, sample), check=False)
        columns.append([*pressures(sample, prediction), *slices(sample, prediction)])
    rows = [*zip(*columns, strict=True)]
    views = [replace(find_view([panel.points for panel in row]), names=("z", "y")) for row in rows]
    heights = [TITLE + panel_height(view) for view in views]
    figure = Figure(figsize=(WIDTH * len(columns), sum(heights)))
    parts = figure.subfigures(len(rows), len(columns), squeeze=False, height_ratios=heights)
    titles = ["pressure, predicted", "reference", "speed, predicted", "reference"]
    for row, view, line, title in zip(rows, views, parts, titles, strict=True):
        for panel, part in zip(row, line, strict=True):
            put(part, panel, view, title)
    return figure


def put(part: SubFigure, panel: Panel, view: View, title: str) -> None:
    height = panel_height(view)
    above, below = part.subfigures(2, 1, height_ratios=(TITLE, height))
    above.text(0.5, 0.3, title, ha="center", fontsize=8)
    draw_panel(below, panel, view)


def pressures(sample: Sample, prediction: np.ndarray) -> list[Panel]:
    """Predicted, then the reference's."""
    here = sample.masks["surface"]
    found = [u[here, 3] for u in (prediction, sample.outputs)]
    scale = field_scale(found[1], found[0])
    return [Panel(sample.points[here], p, scale, "Pa", dots=True) for p in found]


def slices(sample: Sample, prediction: np.ndarray) -> list[Panel]:
    """The air near the middle plane, with z to the right and y upward, around the car's outline."""
    surface = sample.masks["surface"]
    on_car = sample.points[surface]
    near = np.abs(sample.points[:, 0] - on_car[:, 0].mean()) < THICK * np.ptp(on_car[:, 0])
    plane = sample.points[:, [2, 1]]
    low, high = plane[surface].min(axis=0), plane[surface].max(axis=0)
    size = AROUND * (high - low)
    z, y = np.linspace(low - size, high + size, FINE).T
    at = np.stack(np.meshgrid(z, y), axis=-1).reshape(-1, 2)
    at = at[~outline(plane[near & surface]).contains_points(at)]
    found = [
        griddata(plane[near], np.linalg.norm(u[near, :3], axis=1), at)
        for u in (prediction, sample.outputs)
    ]
    there = np.isfinite(found[0])  # in the hull of the points
    found = [values[there] for values in found]
    scale = field_scale(found[1], found[0])
    return [Panel(at[there], values, scale, "m/s") for values in found]


def outline(points: np.ndarray) -> Outline:
    """The polygon through points (N, 2) around their middle."""
    away = points - (points.min(axis=0) + points.max(axis=0)) / 2
    return Outline(points[np.argsort(np.arctan2(away[:, 1], away[:, 0]))])


if __name__ == "__main__":
    main()
