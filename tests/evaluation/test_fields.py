"""Evaluation of fields that exist on some points only, have weights, and follow from parameters."""

import numpy as np
import pytest

import llt
from llt.data import dataset_file
from llt.evaluation import evaluate
from llt.evaluation.metrics import question
from llt.training import TrainConfig, train
from tests.data.kinds import KINDS

FLOWS = ["flow", "flow-grid", "flow-ragged", "flow-ragged-timed-inputs"]


@pytest.fixture(scope="module", params=FLOWS)
def case(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    data = KINDS[request.param]()
    dataset_file.write(folder / "set.h5", data)
    settings = {"dim": 8, "num_layers": 1, "heads": 2}
    config = TrainConfig(epochs=1, batch_size=2)
    run = train(folder / "set.h5", folder / "run", model_settings=settings, config=config)
    return run, data


def squares(data, sample, guess):
    """Sums of squared errors and of squared targets, of each field where it exists: (2, Cu)."""
    surface = sample.masks["surface"]  # where the pressure, the first field, exists
    pair = np.stack([guess - sample.outputs, sample.outputs]).astype(np.float64) ** 2
    over = tuple(range(1, pair.ndim - 1))
    return np.stack([pair[..., surface, 0].sum(over), pair[..., 1].sum(over)], axis=1)


def predicted(surrogate, data, sample):
    number = len(sample.points)
    constant = np.tile(sample.parameters, (number, 1))
    shape = data.problem.grid or (number,)

    def ask(inputs, t):
        a = np.concatenate([inputs, constant], axis=1).reshape(*shape, -1)
        return surrogate.predict(sample.points.reshape(*shape, 2), a, t).reshape(number, -1)

    if data.times is None:
        return ask(sample.inputs, None)
    return np.stack([ask(a, t) for a, t in zip(sample.inputs, data.times.tolist(), strict=True)])


def test_errors_are_over_the_points_where_a_field_exists(case):
    run, data = case
    surrogate, evaluation = llt.load(run), evaluate(run)
    (sample,) = map(data.sample, data.split("test"))
    error, target = squares(data, sample, predicted(surrogate, data, sample))
    np.testing.assert_allclose(
        [field["relative_l2"] for field in evaluation.fields.values()],
        np.sqrt(error / target),
        rtol=1e-4,
    )
    weights = np.array([3.0, 1.0])  # of the squared errors of pressure and velocity
    total = np.sqrt((weights @ error) / (weights @ target))
    assert evaluation.relative_l2 == pytest.approx(total, rel=1e-4)


def test_a_question_holds_inputs_and_parameters_at_the_last_time(case):
    _, data = case
    sample = data.sample(0)
    x, a, t = question(data, sample)
    number = len(sample.points)
    assert x.shape[:-1] == a.shape[:-1] == (data.problem.grid or (number,))
    last = sample.inputs[-1] if sample.inputs.ndim == 3 else sample.inputs
    np.testing.assert_array_equal(a.reshape(number, -1)[:, :2], last)
    np.testing.assert_array_equal(a.reshape(number, -1)[:, 2:], [sample.parameters] * number)
    assert t == (None if data.times is None else data.times[-1])
