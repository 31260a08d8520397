"""Evaluation and report of every kind of data, and that the numbers are what they say."""

import json

import numpy as np
import pytest

import llt
from llt.data import file
from llt.evaluate import evaluate
from llt.evaluate.metrics import mean_field_error
from llt.evaluate.report import write_report
from llt.train import TrainConfig, train
from tests.conftest import darcy_like, geometry_only, ragged
from tests.data.test_dataset import timed

KINDS = {"darcy": darcy_like, "ragged": ragged, "timed": timed, "geometry": geometry_only}
MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


@pytest.fixture(scope="module", params=KINDS)
def case(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    data = KINDS[request.param]()
    file.write(folder / "set.h5", data)
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
    assert evaluation.worst == pytest.approx(max(expected), rel=1e-4)
    assert evaluation.indices == data.split("test").tolist()


def test_evaluation_says_what_it_stands_on(case):
    run, data = case
    evaluation = evaluate(run, split="val")
    assert evaluation.data_hash == data.hash
    assert evaluation.split_hash == data.splits.hash
    assert evaluation.selection == "smallest validation error"
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert evaluation.relative_l2 == pytest.approx(min(m["val_error"] for m in lines), rel=1e-5)


def test_report_shows_pictures_of_every_kind(case):
    run, _ = case
    page = write_report(run, evaluate(run)).read_text()
    assert page.count('src="data:image/png;base64,') == 5
    assert "Median case" in page


def test_mean_field_is_the_training_mean():
    data = darcy_like()
    mean = data.outputs[data.split("train")].mean(axis=0)
    test = data.split("test")
    errors = [
        np.linalg.norm(data.outputs[i] - mean) / np.linalg.norm(data.outputs[i]) for i in test
    ]
    assert mean_field_error(data, test) == pytest.approx(np.mean(errors), rel=1e-5)
