"""Curves, pairs and differences: what is drawn was computed case by case."""

import numpy as np
import pytest

from llt.evaluation.comparison_figures import differences_figure, pairs_figure, training_figure
from tests.evaluation.comparison.made import changed


def test_curves_lie_over_each_other(found):
    for over in ("epoch", "seconds"):
        (axes,) = training_figure(found, over=over).axes
        curves = [line for line in axes.lines if line.get_label() in found.names]
        for curve, run in zip(curves, found.runs, strict=True):
            assert list(curve.get_ydata()) == [row["val_error"] for row in run.metrics]
            assert list(curve.get_xdata()) == [row[over] for row in run.metrics]
        assert len({line.get_color() for line in curves}) == 2
        kept = [line.get_xdata()[0] for line in axes.lines if line not in curves]
        assert kept == [
            row[over]
            for run in found.runs
            for row in run.metrics
            if row["epoch"] == run.evaluation.checkpoint["epoch"]
        ]


def test_cases_are_counted_where_each_run_is_better(found):
    errors = found.first.evaluation.per_sample
    found = changed(found, per_sample=errors[::-1])
    one, other = (100 * np.array(run.evaluation.per_sample) for run in found.runs)
    (axes,) = pairs_figure(found).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == (
        "error of short in %",
        "error of long <b> in %",
    )
    parts = {part.get_label(): part for part in axes.collections}
    better = {f"short is better: {(one < other).sum()}": one < other}
    better[f"long <b> is better: {(one > other).sum()}"] = one > other
    assert all(here.any() for here in better.values())
    assert parts.keys() == better.keys()
    for label, here in better.items():
        expected = np.stack([one[here], other[here]], axis=-1)
        np.testing.assert_allclose(parts[label].get_offsets(), expected)
    wide = changed(found, per_sample=[0.001 * errors[0], *errors[1:]])
    assert [pairs_figure(z).axes[0].get_xscale() for z in (found, wide)] == ["linear", "log"]


def test_differences_are_drawn_around_their_mean_with_its_interval(found):
    (axes,) = differences_figure(found).axes
    one, other = (100 * np.array(run.evaluation.per_sample) for run in found.runs)
    assert axes.get_xlabel() == "error of short minus that of long <b> in %"
    zero, mean = (line.get_xdata()[0] for line in axes.lines)
    assert zero == 0 and mean == pytest.approx((one - other).mean())
    bars = [bar.get_x() for bar in axes.patches if bar.get_label() != "95 % of the mean"]
    assert min(bars) == pytest.approx((one - other).min())
    (span,) = (bar for bar in axes.patches if bar.get_label() == "95 % of the mean")
    half = 2.201 * (one - other).std(ddof=1) / np.sqrt(12)  # Student's t, of 11 degrees of freedom
    assert span.get_width() == pytest.approx(2 * half, rel=1e-3)
