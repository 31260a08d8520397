"""What the curves show is what was computed."""

from dataclasses import replace

import pytest

from llt.evaluation.figures import (
    curves_figure,
    distance_figure,
    histogram_figure,
    times_figure,
)
from llt.evaluation.trust import Trusted
from tests.evaluation.test_verdict import EVALUATION

METRICS = [
    {"epoch": 1, "train_loss": 0.5, "val_error": 0.7},
    {"epoch": 2, "train_loss": 0.2, "val_error": 0.4},
]


def lines(figure):
    return {line.get_label(): list(line.get_ydata()) for line in figure.axes[0].lines}


def test_curves_show_loss_errors_the_mean_field_and_the_best_epoch():
    evaluation = replace(EVALUATION, checkpoint={"epoch": 2, "val_error": 0.4})
    assert lines(curves_figure(METRICS, evaluation)) == {
        "training loss": [0.5, 0.2],
        "validation error": [0.7, 0.4],
        "best, epoch 2": [0.4],
        "test error": [0.0123, 0.0123],
        "mean field": [0.25, 0.25],
    }
    other = replace(EVALUATION, checkpoint={"epoch": 0, "val_error": 0.9}, split="val")
    assert [*lines(curves_figure(METRICS, other))] == [
        "training loss",
        "validation error",
        "val error",
        "mean field",
    ]


def test_curves_show_the_fields_where_there_are_several():
    metrics = [row | {"val_fields": {"u": row["val_error"] / 2, "v": 0.9}} for row in METRICS]
    shown = lines(curves_figure(metrics, EVALUATION))
    assert shown["of u"] == [0.35, 0.2] and shown["of v"] == [0.9, 0.9]
    assert "of u" not in lines(curves_figure([METRICS[0], metrics[1]], EVALUATION))


def test_the_learning_rate_stands_below_where_every_epoch_has_kept_it():
    kept = [row | {"lr": 0.1 / row["epoch"]} for row in METRICS]
    _, below = curves_figure(kept, EVALUATION).axes
    assert [list(line.get_ydata()) for line in below.lines] == [[0.1, 0.05]]
    assert len(curves_figure([METRICS[0], kept[1]], EVALUATION).axes) == 1


def test_errors_stand_over_distances_and_unfamiliar_cases_stand_out():
    trusted = Trusted(level=0.9, cases=9, error=0.3, distances=[0.5, 1.5, 0.9])
    found = replace(EVALUATION, per_sample=[0.1, 0.4, 0.2], trust=trusted)
    figure = distance_figure(found)
    shown = {part.get_label(): part.get_offsets().tolist() for part in figure.axes[0].collections}
    assert shown["familiar"] == [pytest.approx([0.5, 10]), pytest.approx([0.9, 20])]
    assert shown["unfamiliar"] == [pytest.approx([1.5, 40])]
    assert lines(figure)["error bar of 90 %"] == pytest.approx([30, 30])


def test_histograms_of_a_field_are_of_its_errors():
    field = {"relative_l2": 0.3, "mean_field_error": 0.35}
    found = replace(EVALUATION, field_errors={"u": [0.2, 0.4]}, fields={"u": field})
    (axes,) = histogram_figure(found, "u").axes
    assert sum(bar.get_height() for bar in axes.patches) == 2
    assert [line.get_label() for line in axes.lines] == ["mean 30.0 %", "mean field 35.0 %"]


def test_histogram_counts_every_sample_and_shows_the_mean_field_where_it_is_near():
    near = replace(EVALUATION, per_sample=[0.1, 0.2, 0.2, 0.4], relative_l2=0.225)
    (axes,) = histogram_figure(near).axes
    assert sum(bar.get_height() for bar in axes.patches) == 4
    assert [line.get_label() for line in axes.lines] == ["mean 22.5 %", "mean field 25.0 %"]
    (axes,) = histogram_figure(EVALUATION).axes
    assert [line.get_label() for line in axes.lines] == ["mean 1.23 %"]


def test_errors_over_time_are_of_every_field():
    times = [
        {"t": t, "relative_l2": t / 10, "mean_field_error": 0.5, "fields": {"u": t / 5, "v": 0.3}}
        for t in (1.0, 2.0)
    ]
    assert lines(times_figure(times)) == {
        "all fields": pytest.approx([10, 20]),
        "u": pytest.approx([20, 40]),
        "v": pytest.approx([30, 30]),
        "mean field": pytest.approx([50, 50]),
    }


def test_rollouts_stand_beside_one_step_and_no_change():
    row = {"relative_l2": 0.1, "mean_field_error": 0.5, "fields": {"u": 0.1}}
    times = [row | {"t": t, "one_step": 0.01, "unchanged": t} for t in (0.2, 0.4)]
    figure = times_figure(times)
    assert lines(figure) == {
        "u": pytest.approx([10, 10]),
        "one step": pytest.approx([1, 1]),
        "no change": pytest.approx([20, 40]),
        "mean field": pytest.approx([50, 50]),
    }
    assert figure.axes[0].get_yscale() == "log"


def test_vectors_stand_among_the_fields_and_small_errors_beside_large_ones_are_seen():
    times = [
        {
            "t": t,
            "relative_l2": 0.01,
            "mean_field_error": t,
            "fields": {"x": 0.01, "u_x": 0.2},
            "vectors": {"u": 0.9},
        }
        for t in (0.0, 1.0)
    ]
    figure = times_figure(times)
    assert lines(figure)["u (vector)"] == pytest.approx([90, 90])
    assert figure.axes[0].get_yscale() == "log"
    alike = [row | {"vectors": {"u": 0.1}} for row in times]
    assert times_figure(alike).axes[0].get_yscale() == "linear"
