"""What the pictures show is what was computed."""

from types import SimpleNamespace

import numpy as np

from llt.evaluation.figures import curves_figure, histogram_figure
from llt.evaluation.report import sample_figure
from tests.conftest import darcy_like, geometry_only


def doubling(data):
    """A surrogate that predicts twice the truth, whatever it is asked."""
    return SimpleNamespace(predict=lambda x, a, t, **_: 2 * data.sample(3).outputs)


def panels(figure):
    """Title and drawn object of every picture, color bars left out."""
    return {axes.get_title(): axes.collections[0] for axes in figure.axes if axes.get_title()}


def test_a_sample_is_shown_with_its_input_reference_prediction_and_error():
    data = darcy_like()
    sample = data.sample(3)
    shown = panels(sample_figure(doubling(data), data, 3))
    u = sample.outputs[:, 0]
    expected = {
        "input: permeability": sample.inputs[:, 0],
        "pressure: reference": u,
        "pressure: prediction": 2 * u,
        "absolute error": u,
    }
    assert shown.keys() == expected.keys()
    for title, values in expected.items():
        np.testing.assert_allclose(np.ravel(shown[title].get_array()), values, rtol=1e-6)
    scale = shown["pressure: reference"].get_clim()
    assert scale == (u.min(), u.max())
    assert shown["pressure: prediction"].get_clim() == scale
    corners = shown["pressure: reference"].get_coordinates().reshape(-1, 2)
    np.testing.assert_allclose(corners, sample.points, rtol=1e-6)


def test_point_sets_are_shown_as_dots_where_the_points_are():
    data = geometry_only()
    shown = panels(sample_figure(doubling(data), data, 3))
    assert shown.keys() == {"stress: reference", "stress: prediction", "absolute error"}
    dots = shown["stress: reference"]
    np.testing.assert_allclose(dots.get_offsets(), data.sample(3).points, rtol=1e-6)
    np.testing.assert_allclose(dots.get_array(), data.sample(3).outputs[:, 0], rtol=1e-6)


def test_curves_show_loss_validation_and_test_error():
    metrics = [
        {"epoch": 1, "train_loss": 0.5, "val_error": 0.7},
        {"epoch": 2, "train_loss": 0.2, "val_error": 0.4},
    ]
    (axes,) = curves_figure(metrics, 0.3).axes
    lines = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    assert lines == {
        "training loss": [0.5, 0.2],
        "validation error": [0.7, 0.4],
        "test error": [0.3, 0.3],
    }
    assert [line.get_label() for line in curves_figure(metrics).axes[0].lines] == [
        "training loss",
        "validation error",
    ]


def test_histogram_counts_every_sample():
    (axes,) = histogram_figure([0.1, 0.2, 0.2, 0.4], 0.225).axes
    assert sum(bar.get_height() for bar in axes.patches) == 4
    assert axes.get_legend().get_texts()[0].get_text() == "mean 0.2250"
