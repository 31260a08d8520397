"""Two runs, trained once for all tests of their comparison."""

import pytest

from llt.evaluation.comparison import Comparison
from llt.evaluation.comparison_report import write_comparison
from tests.evaluation.comparison.made import data_of, finished, trained
from tests.evaluation.test_report import parsed


@pytest.fixture(scope="package")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [
        trained(folder, data_of(), "short"),
        trained(folder, data_of(), "long <b>", epochs=4, lr=5e-3, seed=1),
    ]


@pytest.fixture(scope="package")
def found(runs):
    return Comparison(*map(finished, runs))


@pytest.fixture(scope="package")
def page(found, tmp_path_factory):
    return parsed(write_comparison(found, tmp_path_factory.mktemp("page") / "page.html"))
