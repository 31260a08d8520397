"""`llt bench prediction --cases`: one prediction and many in one call."""

import pytest
import torch

from llt.bench import latency
from llt.bench.latency import measure_latency
from llt.bench.record import read_record
from llt.cli import main
from tests.bench.sizes import tiny


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(latency, "problem_case", lambda name: tiny())


def test_one_case_and_many(small):
    row = measure_latency("darcy", 6, torch.device("cpu"), repetitions=2)
    assert row["cases"] == 6
    assert row["difference"] < 1e-5
    assert row["one_ms"] > 0 and row["one_eager_ms"] > 0 and row["many_ms_each"] > 0
    assert row["many_mib"] is None  # the CPU has no such counter


def test_the_command_keeps_a_record(small, tmp_path, capsys):
    out = tmp_path / "prediction/record.json"
    words = ["--points", "", "--grids", "", "--cases", "darcy=5", "--out", str(out)]
    assert main(["bench", "prediction", "--device", "cpu", *words]) == 0
    assert [*read_record(out).results] == ["darcy, cases"]
    assert "darcy: cases 5" in capsys.readouterr().out


def test_what_is_no_number_of_cases(capsys):
    assert main(["bench", "prediction", "--device", "cpu", "--cases", "darcy"]) == 2
    assert "--cases darcy: expected PROBLEM=NUMBER as in darcy=200" in capsys.readouterr().err
