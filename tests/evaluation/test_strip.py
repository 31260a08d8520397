"""Strips show the right numbers in the right places, on scales that columns share."""

import numpy as np
import pytest

from llt.errors import DataError
from llt.evaluation.moments import predict_moments, quantities, view_of
from llt.evaluation.strip import _rows, cases_figure, strip_figure
from tests.conftest import darcy_like
from tests.data.kinds import KINDS, timed
from tests.evaluation.test_cases import doubling

NUMBERS = [1, 3, 5]


@pytest.fixture
def moments():
    data = timed()
    return predict_moments(doubling(data), data, data.sample(1), NUMBERS)


def test_reference_stands_above_prediction_above_error(moments):
    data = timed()
    rows = _rows(data.problem, quantities(data.problem)[0], moments, None)
    assert [*rows] == ["reference", "prediction", "error"]
    truths = [data.sample(1).outputs[number] for number in NUMBERS]
    lengths = [np.linalg.norm(u[:, 2:], axis=1) for u in truths]
    size = np.ptp(np.concatenate(lengths))
    for column, (u, length) in enumerate(zip(truths, lengths, strict=True)):
        reference, prediction, error = (row[column] for row in rows.values())
        np.testing.assert_allclose(reference.values, length, rtol=1e-6)
        np.testing.assert_allclose(prediction.values, 2 * length, rtol=1e-6)
        np.testing.assert_allclose(error.values, 100 * length / size, rtol=1e-5)
        np.testing.assert_array_equal(reference.points, u[:, :2])
        np.testing.assert_array_equal(prediction.points, 2 * u[:, :2])
        np.testing.assert_array_equal(error.points, u[:, :2])
    for panels in rows.values():
        assert len({(p.scale.norm.vmin, p.scale.norm.vmax) for p in panels}) == 1


def test_a_strip_has_a_picture_for_each_moment_and_two_scales(moments):
    data = timed()
    view = view_of(doubling(data), data.problem, moments)
    quantity = quantities(data.problem)[0]
    figure = strip_figure(data.problem, quantity, moments, ["a", "b", "c"], view, limit=7.0)
    assert len(figure.axes) == 3 * 3 + 2
    assert [axes.get_title() for axes in figure.axes if axes.get_title()] == ["a", "b", "c"]
    assert [text.get_text() for text in figure.texts] == ["reference", "prediction", "error"]
    errors = figure.axes[-1].get_ylim()
    np.testing.assert_allclose(errors, [0, 7])


@pytest.mark.parametrize("kind", ["timed", "darcy", "flow", "flow-ragged-timed-inputs"])
def test_cases_stand_side_by_side_at_their_last_time(kind):
    data = {"timed": timed, "darcy": darcy_like, **KINDS}[kind]()
    figure = cases_figure(doubling(data), data, [0, 2])
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert titles == ["sample 0", "sample 2"]
    figure.canvas.draw()


def test_quantities_are_named():
    data = timed()
    with pytest.raises(DataError, match=r"unknown quantity 'u_x'; choose from \|u\|"):
        cases_figure(doubling(data), data, [0], "u_x")
