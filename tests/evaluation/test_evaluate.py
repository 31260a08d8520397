"""Evaluation and report of every kind of data, and that the numbers are what they say."""

from dataclasses import replace

import numpy as np
import pytest

import llt
from llt.data import dataset_file
from llt.data.splits import Splits
from llt.errors import CheckpointError
from llt.evaluation import evaluate
from llt.evaluation.mean_field import guess_errors, mean_field
from llt.training import TrainConfig, train
from tests.conftest import darcy_like, geometry_only, ragged
from tests.data.kinds import timed

KINDS = {"darcy": darcy_like, "ragged": ragged, "timed": timed, "geometry": geometry_only}
MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


@pytest.fixture(scope="module", params=KINDS)
def case(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    data = KINDS[request.param]()
    dataset_file.write(folder / "set.h5", data)
    config = TrainConfig(epochs=2, batch_size=2)
    run = train(folder / "set.h5", folder / "run", model_settings=MODEL, config=config)
    return run, data


def test_error_is_the_mean_of_relative_norms_of_predictions(case):
    """Against `predict`, sample by sample and, on timed problems, over all times together."""
    run, data = case
    surrogate = llt.load(run)
    expected = []
    for index in data.split("test"):
        sample = data.sample(index)
        times = [None] if data.times is None else data.times.tolist()
        u = np.stack([surrogate.predict(sample.points, sample.inputs, t) for t in times])
        target = sample.outputs.reshape(u.shape)
        expected.append(np.linalg.norm(u - target) / np.linalg.norm(target))
    evaluation = evaluate(run)
    np.testing.assert_allclose(evaluation.per_sample, expected, rtol=1e-4)
    assert evaluation.relative_l2 == pytest.approx(np.mean(expected), rel=1e-4)
    assert evaluation.median == pytest.approx(np.median(expected), rel=1e-4)
    assert evaluation.worst == pytest.approx(max(expected), rel=1e-4)
    assert evaluation.indices == data.split("test").tolist()


def test_every_field_has_its_own_errors(case):
    run, data = case
    surrogate = llt.load(run)
    errors = []
    for sample in map(data.sample, data.split("test")):
        times = [None] if data.times is None else data.times.tolist()
        u = np.stack([surrogate.predict(sample.points, sample.inputs, t) for t in times])
        target = sample.outputs.reshape(u.shape)
        size = np.linalg.norm(target, axis=(0, 1))
        errors.append(np.linalg.norm(u - target, axis=(0, 1)) / size)
    evaluation = evaluate(run)
    assert [*evaluation.fields] == [*data.problem.output_names]
    for field, expected in zip(evaluation.fields.values(), np.transpose(errors), strict=True):
        assert field["relative_l2"] == pytest.approx(np.mean(expected), rel=1e-4)
        assert field["median"] == pytest.approx(np.median(expected), rel=1e-4)
        assert field["worst"] == pytest.approx(max(expected), rel=1e-4)


def test_a_vector_has_errors_without_the_fields_beside_it(case):
    """Displacements alone: positions are large numbers, beside which any error is small."""
    run, data = case
    evaluation = evaluate(run)
    if not data.problem.timed:
        assert evaluation.vectors == {}
        return
    surrogate, parts = llt.load(run), [2, 3]
    pairs = []
    for sample in map(data.sample, data.split("test")):
        u = surrogate.predict(sample.points, sample.inputs, data.times)
        pairs.append([z[..., parts] for z in (u, sample.outputs)])
    expected = [np.linalg.norm(u - v) / np.linalg.norm(v) for u, v in pairs]
    (found,) = evaluation.vectors.values()
    assert [*evaluation.vectors] == ["u"]
    assert found["relative_l2"] == pytest.approx(np.mean(expected), rel=1e-4)
    assert found["worst"] == pytest.approx(max(expected), rel=1e-4)
    guess = mean_field(data)[0][..., parts]
    errors = [np.linalg.norm(guess - v) / np.linalg.norm(v) for _, v in pairs]
    assert found["mean_field_error"] == pytest.approx(np.mean(errors), rel=1e-4)
    for k, row in enumerate(evaluation.times):
        at = [np.linalg.norm(u[k] - v[k]) / np.linalg.norm(v[k]) for u, v in pairs]
        assert row["vectors"] == {"u": pytest.approx(np.mean(at), rel=1e-4)}


def test_every_sample_and_time_has_errors_of_every_field(case):
    run, data = case
    surrogate, evaluation = llt.load(run), evaluate(run)
    samples = [data.sample(index) for index in data.split("test")]
    times = [None] if data.times is None else data.times.tolist()
    u = [[surrogate.predict(s.points, s.inputs, t) for t in times] for s in samples]
    target = [s.outputs.reshape(len(times), *s.outputs.shape[-2:]) for s in samples]
    for channel, name in enumerate(data.problem.output_names):
        pairs = [
            (np.array(a)[..., channel], b[..., channel]) for a, b in zip(u, target, strict=True)
        ]
        expected = [np.linalg.norm(a - b) / np.linalg.norm(b) for a, b in pairs]
        np.testing.assert_allclose(evaluation.field_errors[name], expected, rtol=1e-4)
        at = [
            np.mean([np.linalg.norm(a[k] - b[k]) / np.linalg.norm(b[k]) for a, b in pairs])
            for k in range(len(times))
        ]
        if data.times is not None:
            found = [row["fields"][name] for row in evaluation.times]
            np.testing.assert_allclose(found, at, rtol=1e-4)
    assert [row["t"] for row in evaluation.times] == ([] if data.times is None else times)
    order = [evaluation.per_sample[place] for place in evaluation.worst_first]
    assert order == sorted(evaluation.per_sample, reverse=True)


def test_the_mean_field_stands_beside_every_error(case):
    run, data = case
    evaluation = evaluate(run)
    guess, kind = mean_field(data)
    errors = guess_errors(data, data.split("test"), guess)
    assert evaluation.mean_field == kind
    assert evaluation.mean_field_error == pytest.approx(errors.total.mean().item())
    found = [row["mean_field_error"] for row in evaluation.fields.values()]
    np.testing.assert_allclose(found, errors.fields.mean(0))
    found = [row["mean_field_error"] for row in evaluation.times]
    np.testing.assert_allclose(found, errors.times.mean(0) if data.times is not None else [])


def test_evaluation_says_what_it_stands_on(case):
    run, data = case
    evaluation = evaluate(run, split="val")
    assert evaluation.data_hash == data.hash
    assert evaluation.split_hash == data.splits.hash
    assert evaluation.selection == "smallest validation error"
    assert evaluation.relative_l2 == pytest.approx(evaluation.checkpoint["val_error"], rel=1e-5)


@pytest.fixture(scope="module")
def darcy_case(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    dataset_file.write(folder / "set.h5", darcy_like(num=16))
    config = TrainConfig(epochs=1)
    return train(folder / "set.h5", folder / "run", model_settings=MODEL, config=config)


def test_changed_data_are_not_evaluated(darcy_case):
    path = darcy_case.parent / "set.h5"
    data = dataset_file.read(path)
    dataset_file.write(path, replace(data, splits=Splits.consecutive(11, 2, 3)))
    try:
        with pytest.raises(CheckpointError, match=r"was trained on data .* now holds"):
            evaluate(darcy_case)
    finally:
        dataset_file.write(path, data)


def test_weights_chosen_by_validation_are_told_from_others(darcy_case):
    path = darcy_case.parent / "set.h5"
    assert evaluate(darcy_case).selection == "smallest validation error"
    assert evaluate(darcy_case / "last", data_path=path).selection == "as saved"


def test_mean_median_and_worst_are_those_of_the_samples(darcy_case):
    evaluation = evaluate(darcy_case, split="train")
    errors = evaluation.per_sample
    assert len(errors) == 12
    assert evaluation.relative_l2 == pytest.approx(np.mean(errors))
    assert evaluation.median == pytest.approx(np.median(errors))
    assert evaluation.median != pytest.approx(np.mean(errors), rel=1e-6)
    assert evaluation.worst == max(errors)
