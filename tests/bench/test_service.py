"""The service under load, for a second: all answers are right while others misbehave."""

import json
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

from llt.bench import service
from llt.bench.misuse import misuses
from llt.bench.record import load_record
from llt.cli import main
from llt.errors import DataError, RangeWarning
from llt.serve import connection
from llt.surrogate import load
from tests.conftest import darcy_like, geometry_only, ragged
from tests.serve.made import npz, serving, untrained

ROOT = Path(__file__).parents[2]
PATIENCE = 5.0  # seconds with clients that are slow; those that are not share two busy cores


@pytest.fixture
def in_this_process(monkeypatch):
    """Instead of a process of its own, which takes long to start."""

    @contextmanager
    def running(run, device):
        with serving({"run": load(run)}, seconds=PATIENCE) as one:
            yield one.port

    monkeypatch.setattr(service, "running", running)
    monkeypatch.setattr(connection, "HEAD", PATIENCE)
    monkeypatch.setenv("LLT_READ_LIMIT", "128M")  # as the command does


def test_many_clients_are_answered_right_whatever_others_do(in_this_process, tmp_path, capsys):
    untrained(geometry_only()).save(tmp_path / "run")
    out = tmp_path / "serve/record.json"
    args = ["--clients", "8", "--seconds", "2", "--points", "25", "--device", "cpu"]
    assert main(["bench", "serve", str(tmp_path / "run"), *args, "--out", str(out)]) == 0
    assert "requests in a batch" in capsys.readouterr().out
    found = load_record(out).results
    assert {*found["one"]["statuses"]} == {*found["many"]["statuses"]} == {"200"}
    assert found["many"]["statuses"]["200"] > 8 and found["times_one"] > 0
    assert found["mean_batch"] >= 1
    memory = found["memory_mib"]
    assert 0.9 * memory["mean"] < memory["least"] and memory["most"] < 1.1 * memory["mean"]
    for kind, (_, _, expected) in misuses().items():
        assert {*found["misuse"][kind]} == {expected}, kind
    assert main(["bench", "serve", str(tmp_path / "run"), "--out", str(out)]) == 2


@pytest.mark.parametrize("data", [darcy_like, ragged, geometry_only])
def test_cases_are_such_as_were_trained_on(data):
    surrogate = untrained(data())
    arrays = service.random_case(surrogate, 300, 0)
    given = {name: value for name, value in arrays.items() if name != "points"}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RangeWarning)
        surrogate.predict(arrays["points"], given)


def test_a_wrong_answer_is_known():
    expected = {"u": 1.0}
    assert service._agrees(npz(u=1.00001), expected) and not service._agrees(npz(u=1.1), expected)


def test_a_service_that_does_not_begin_is_told(monkeypatch):
    monkeypatch.setattr("sys.executable", "false")
    with pytest.raises(DataError, match="did not begin"), service.running("no/such/run", "cpu"):
        pass


def test_the_published_record_has_no_other_answer():
    record = json.loads((ROOT / "benchmarks/studies/serve/elasticity-cpu.json").read_text())
    found = record["results"]
    assert {*found["many"]["statuses"]} == {"200"}
    memory = found["memory_mib"]
    assert memory["most"] < 1.1 * memory["least"]
    for kind, (_, _, expected) in misuses().items():
        assert {*found["misuse"][kind]} == {expected}, kind
