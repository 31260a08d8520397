"""Numbers that follow from predictions, and errors away from a surface."""

import json

import numpy as np
import pytest
from scipy.stats import spearmanr

import llt
from llt.cli import main
from llt.data import dataset_file
from llt.evaluation import evaluate
from llt.evaluation.derived import rank_correlation
from llt.training import TrainConfig, train
from tests.data.kinds import cars, flow


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cars")
    data = cars()
    dataset_file.write(folder / "set.h5", data)
    settings = {"dim": 8, "num_layers": 1, "heads": 2}
    config = TrainConfig(epochs=5, batch_size=2)  # after one it predicts the mean field
    return train(folder / "set.h5", folder / "run", model_settings=settings, config=config), data


def predictions(run, data):
    surrogate = llt.load(run)
    samples = [data.sample(index) for index in data.split("test")]
    return [(s, surrogate.predict(s.points, s.inputs)) for s in samples]


def test_the_drag_of_predictions_is_told_beside_that_of_the_references(case):
    run, data = case
    found = evaluate(run).derived["drag"]
    predicted = [
        s.weights["drag/pressure"] @ u[:, 3] + s.weights["drag/velocity_z"] @ u[:, 2]
        for s, u in predictions(run, data)
    ]
    reference = data.derived[data.split("test"), 0]
    np.testing.assert_allclose(found["predicted"], predicted, rtol=1e-4)
    np.testing.assert_allclose(found["reference"], reference)
    error = np.mean(np.abs(predicted - reference) / np.abs(reference))
    assert found["relative_error"] == pytest.approx(error, rel=1e-4)
    mean = data.derived[data.split("train"), 0].mean()
    usual = np.mean(np.abs(mean - reference) / np.abs(reference))
    assert found["mean_number_error"] == pytest.approx(usual, rel=1e-4)
    expected = spearmanr(predicted, reference).statistic
    assert found["rank_correlation"] == pytest.approx(expected)


def test_the_velocity_off_the_surface_has_an_error_of_its_own(case):
    run, data = case
    found = evaluate(run).vectors
    assert [*found] == ["velocity", "velocity off surface"]
    errors, usual = [], []
    train_mean = np.concatenate([data.sample(i).outputs for i in data.split("train")]).mean(axis=0)
    for sample, u in predictions(run, data):
        off = ~sample.masks["surface"]
        truth, answer = sample.outputs[off, :3], u[off, :3]
        errors.append(np.linalg.norm(answer - truth) / np.linalg.norm(truth))
        usual.append(np.linalg.norm(train_mean[:3] - truth) / np.linalg.norm(truth))
    row = found["velocity off surface"]
    assert row["relative_l2"] == pytest.approx(np.mean(errors), rel=1e-4)
    assert row["worst"] == pytest.approx(max(errors), rel=1e-4)
    assert row["mean_field_error"] == pytest.approx(np.mean(usual), rel=1e-4)


def test_the_command_and_the_report_show_them(case, capsys):
    run, _ = case
    assert main(["evaluate", str(run)]) == 0
    shown = capsys.readouterr().out
    assert "velocity off surface (vector)" in shown
    number = evaluate(run).derived["drag"]
    line = next(line for line in shown.splitlines() if line.strip().startswith("drag"))
    assert line.split() == [
        "drag",
        f"{number['relative_error']:.5f}",
        f"{number['mean_number_error']:.5f}",
        f"{number['rank_correlation']:.5f}",
    ]
    assert main(["evaluate", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["derived"]["drag"]["predicted"]
    assert main(["report", str(run)]) == 0
    page = (run / "report.html").read_text()
    assert "rank correlation" in page and f"{number['rank_correlation']:.4f}" in page


def test_numbers_without_weights_and_timed_ones_are_not_predicted(tmp_path):
    dataset_file.write(tmp_path / "set.h5", flow(times=3))
    settings = {"dim": 8, "num_layers": 1, "heads": 2}
    config = TrainConfig(epochs=1, batch_size=2)
    run = train(tmp_path / "set.h5", tmp_path / "run", model_settings=settings, config=config)
    assert evaluate(run).derived == {}


def test_ranks_of_equal_numbers_correlate_with_nothing():
    assert rank_correlation(np.ones(3), np.arange(3)) is None
    assert rank_correlation(np.ones(1), np.ones(1)) is None
    assert rank_correlation(np.array([1, 2, 9]), np.array([5, 6, 7])) == pytest.approx(1)
