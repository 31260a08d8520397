"""What pictures of a case show, and where."""

from dataclasses import replace

import numpy as np
import pytest

from llt.data.sample import Sample
from llt.evaluation.moments import Moment, places, predict_moments, quantities, view_of
from llt.problem import CAR, DARCY, PLASTICITY, Field
from tests.data.kinds import FLOW, KINDS, timed
from tests.evaluation.test_cases import doubling


def test_vectors_come_first_and_coordinates_are_not_shown():
    assert [q.name for q in quantities(PLASTICITY)] == ["|u|"]
    assert [q.name for q in quantities(CAR)] == ["|velocity|", "pressure"]
    assert [(q.name, q.unit, q.mask) for q in quantities(FLOW)] == [
        ("pressure", "Pa", "surface"),
        ("velocity", "m/s", ""),
    ]
    mixed = replace(DARCY, outputs=(Field("u_x", "mm"), Field("u_y", "m")))
    assert [q.name for q in quantities(mixed)] == ["u_x", "u_y"]


def test_a_vector_has_its_length_and_that_of_its_error():
    (length,) = quantities(PLASTICITY)
    u = np.array([[9, 9, 3, 4], [9, 9, 0, 2]], np.float32)
    sample = Sample(np.zeros((2, 2)), np.zeros((2, 1)), np.array([[9, 9, 3, 1], [9, 9, 1, 2]]))
    np.testing.assert_allclose(length.of(sample, u), [5, 2])
    np.testing.assert_allclose(length.error(Moment(sample, 0.0, u)), [3, 1])


def test_a_field_has_its_sign_and_exists_where_its_mask_says():
    pressure = quantities(FLOW)[0]
    u, mask = np.array([[1, 0], [2, 0], [3, 0]], np.float32), np.array([True, False, True])
    sample = Sample(np.zeros((3, 2)), np.zeros((3, 2)), u + 1, masks={"surface": mask})
    np.testing.assert_allclose(pressure.of(sample, u), [1, 3])
    np.testing.assert_allclose(pressure.error(Moment(sample, None, u)), [-1, -1])


def test_points_are_where_the_outputs_have_them():
    data = timed()
    moments = predict_moments(doubling(data), data, data.sample(1), [0, 5])
    sample = moments[1].sample
    np.testing.assert_array_equal(places(data.problem, sample, moments[1].u), moments[1].u[:, :2])
    view = view_of(doubling(data), data.problem, moments)
    both = np.concatenate([z[:, :2] for m in moments for z in (m.u, m.sample.outputs)])
    np.testing.assert_allclose([view.low, view.high], [both.min(axis=0), both.max(axis=0)])
    still = replace(data.problem, outputs=("a", "b", "c", "d"))
    np.testing.assert_array_equal(places(still, sample, sample.outputs), sample.points)


@pytest.mark.parametrize("kind", ["timed", "flow-ragged-timed-inputs"])
def test_times_are_asked_for_in_one_call_unless_inputs_change_with_them(kind):
    data = timed() if kind == "timed" else KINDS[kind]()
    surrogate, calls = doubling(data), []
    predict = surrogate.predict

    def counted(x, a, t, **rest):
        calls.append(t)
        return predict(x, a, t, **rest)

    surrogate.predict = counted
    numbers = [0, len(data.times) - 1]
    moments = predict_moments(surrogate, data, data.sample(1), numbers)
    assert len(calls) == (1 if kind == "timed" else 2)
    for number, moment in zip(numbers, moments, strict=True):
        assert moment.t == data.times[number]
        np.testing.assert_array_equal(moment.u, 2 * data.sample(1).outputs[number])
        np.testing.assert_array_equal(moment.sample.outputs, data.sample(1).outputs[number])
