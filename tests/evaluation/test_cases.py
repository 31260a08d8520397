"""Pictures of cases: all fields, several times, one scale of errors."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from llt.evaluation.cases import Gallery, choose, predicted, spread
from llt.evaluation.panels import nice
from tests.conftest import darcy_like, geometry_only
from tests.data.kinds import flow, timed
from tests.evaluation.test_verdict import EVALUATION


def doubling(data):
    """A surrogate that predicts twice the truth, whatever it is asked."""
    by_time = {} if data.times is None else dict(zip(data.times.tolist(), range(99), strict=False))

    def predict(x, a, t, **rest):
        if isinstance(t, list):
            return np.stack([predict(x, a, one) for one in t])
        flat = x.reshape(-1, x.shape[-1])
        for sample in map(data.sample, range(len(data))):
            sample = sample if t is None else sample.at(by_time[t])
            if not np.array_equal(sample.points, flat):
                continue
            if np.array_equal(sample.given.reshape(a.shape), a):
                return 2 * sample.outputs
        raise AssertionError("asked about no sample")

    box = SimpleNamespace(x_low=_Number(data), x_size=_Number(data))
    return SimpleNamespace(predict=predict, normalizer=box)


class _Number:
    def __init__(self, data):
        self.value = np.ones(data.problem.space_dim)

    def cpu(self):
        return self

    def numpy(self):
        return self.value


def gallery(data, count=3):
    errors = [0.01, 0.05, 0.02][:count]
    evaluation = replace(EVALUATION, per_sample=errors, indices=[*range(count)])
    surrogate = doubling(data)
    cases = predicted(surrogate, data, evaluation)
    return Gallery(surrogate, data, cases), cases


def test_the_worst_case_comes_first():
    assert choose(EVALUATION) == [("Worst", 1), ("Median", 2), ("Best", 0)]
    four = replace(EVALUATION, per_sample=[0.1, 0.2, 0.3, 0.4])
    assert choose(four) == [("Worst", 3), ("Median", 1), ("Best", 0)]
    assert choose(replace(EVALUATION, per_sample=[0.1, 0.2])) == [("Worst", 1), ("Best", 0)]
    assert choose(replace(EVALUATION, per_sample=[0.1])) == [("Only", 0)]


def test_a_sample_is_shown_with_its_input_reference_prediction_and_error():
    data = darcy_like()
    shown, cases = gallery(data)
    (row,) = shown.rows(cases[0])
    u, a = data.outputs[1, :, 0], data.inputs[1, :, 0]
    truths = np.concatenate([data.outputs[i] for i in (0, 1, 2)])
    expected = {
        "given: permeability": a,
        "pressure: reference": u,
        "pressure: prediction": 2 * u,
        "pressure: error": 100 * u / np.ptp(truths),
    }
    assert [caption for caption, _ in row] == [*expected]
    for caption, panel in row:
        np.testing.assert_allclose(panel.values, expected[caption], rtol=1e-5)
        np.testing.assert_allclose(panel.points, data.points)
    assert shown.overshoot(cases[0], 0)[1] == pytest.approx(u.max() / np.ptp(u), rel=1e-5)


def test_all_errors_have_one_scale():
    shown, cases = gallery(flow())
    panels = [panel for case in cases for row in shown.rows(case) for _, panel in row]
    errors = [panel for panel in panels if "%" in panel.unit]
    assert len(errors) == 6  # two fields of three cases
    assert len({(p.scale.norm.vmin, p.scale.norm.vmax) for p in errors}) == 1


def test_all_fields_are_shown_where_they_exist_with_their_units():
    data = flow()
    shown, cases = gallery(data)
    given, pressure, velocity = shown.rows(cases[0])
    assert [caption for caption, _ in given] == ["given: roughness", "given: pressure"]
    surface = data.sample(1).masks["surface"]
    for _, panel in pressure:
        assert len(panel.values) == surface.sum() and panel.dots
    assert [panel.unit for _, panel in velocity] == ["m/s", "m/s", "% of the field's range"]
    assert len(velocity[0][1].values) == 7


def test_fields_are_shown_at_the_last_time_and_the_worst_case_at_others():
    data = timed()
    shown, cases = gallery(data)
    captions = [caption for row in shown.rows(cases[0]) for caption, _ in row]
    assert len(captions) == 1 + 4 * 3  # given; fields, pictures
    assert "u_y at t = 1: error" in captions
    assert [moment.t for moment in cases[0].moments] == [*data.times]
    assert [moment.t for moment in cases[0].strip] == [*data.times[1:]]
    assert [moment.t for moment in cases[1].moments] == [1.0]


def test_times_are_spread_evenly_with_both_ends():
    assert spread(1, 5) == [0] and spread(3, 5) == [0, 1, 2]
    assert spread(20, 6) == [0, 4, 8, 11, 15, 19]


def test_films_of_large_meshes_have_few_frames(monkeypatch):
    monkeypatch.setattr("llt.evaluation.cases.MOST_FRAMES", 4)
    monkeypatch.setattr("llt.evaluation.cases.STRIP", 2)
    assert len(gallery(timed())[1][0].moments) == 4
    monkeypatch.setattr("llt.evaluation.cases.MOST_DRAWN", 3 * 12)
    assert len(gallery(timed())[1][0].moments) == 3
    monkeypatch.setattr("llt.evaluation.cases.MOST_DRAWN", 1)
    assert len(gallery(timed())[1][0].moments) == 2


def test_fields_are_drawn_where_the_points_have_moved_to():
    """Outputs x and y are coordinates, as in Plasticity."""
    data = timed()
    shown, cases = gallery(data)
    rows = {row[0][0]: row for row in shown.rows(cases[0])}
    sample = data.sample(1).at(5)
    moved = rows["u_x at t = 1: reference"]
    np.testing.assert_allclose(moved[0][1].points, sample.outputs[:, :2])
    np.testing.assert_allclose(moved[1][1].points, 2 * sample.outputs[:, :2])
    still = rows["x at t = 1: reference"]
    np.testing.assert_allclose(still[1][1].points, sample.points)


def test_geometry_alone_gives_no_input_panels():
    shown, cases = gallery(geometry_only())
    (row,) = shown.rows(cases[0])
    assert [caption.split(": ")[1] for caption, _ in row] == ["reference", "prediction", "error"]


def test_limits_are_round_numbers():
    assert [nice(x) for x in (0.13, 0.2, 7, 81, 0.0)] == pytest.approx([0.15, 0.2, 8, 100, 1])
