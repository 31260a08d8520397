"""Runs that are compared, and what they would be with other errors."""

from dataclasses import replace

from llt.data import dataset_file
from llt.data.splits import Splits
from llt.evaluation import evaluate
from llt.evaluation.comparison import Comparison
from llt.evaluation.finished import FinishedRun
from llt.evaluation.kept import keep_evaluation
from llt.training import TrainConfig, train
from tests.conftest import darcy_like
from tests.evaluation.test_report import MODEL


def trained(folder, data, name, **settings):
    if not (folder / "set.h5").exists():
        dataset_file.write(folder / "set.h5", data)
    config = TrainConfig(**{"epochs": 1, "batch_size": 2} | settings)
    run = train(folder / "set.h5", folder / name, model_settings=MODEL, config=config)
    keep_evaluation(run, evaluate(run))
    return run


def data_of(num_test=12):
    data = darcy_like(num=16 + num_test)
    return replace(data, splits=Splits.consecutive(12, 4, num_test))


def finished(run):
    return FinishedRun.read(run, evaluate(run), "cpu", None)


def changed(found, **errors):
    """The same comparison, had the second run had other errors."""
    second = found.second
    return Comparison(found.first, replace(second, evaluation=replace(second.evaluation, **errors)))
