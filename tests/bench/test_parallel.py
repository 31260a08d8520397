"""Steps of several processes beside one: what is measured, and what is said of it."""

from dataclasses import replace

import pytest

from llt.bench.case import Case
from llt.bench.parallel import Layout, layouts, measure_parallel, parallel_case
from llt.bench.parallel_table import parallel, parallel_rows
from llt.bench.record import read_record
from llt.cli import main
from llt.errors import TrainingError
from llt.models import build_model
from llt.problem import DARCY

SIZES = {"dim": 16, "num_layers": 2, "heads": 2}
SMALL = Case(
    name="small",
    problem=replace(DARCY, grid=(12, 5)),
    num_points=60,
    settings={"llt": SIZES},
)


def test_layouts_are_one_process_then_shares_and_parts():
    assert layouts([1, 2]) == [Layout(1, 1), Layout(2, 1), Layout(1, 2)]
    assert layouts([3]) == [Layout(1, 1), Layout(3, 1), Layout(1, 3)]


def test_point_sets_have_the_size_that_was_asked_for():
    assert parallel_case("darcy", 300, 32).num_points == 85 * 85
    case = parallel_case("elasticity", 300, 32)
    assert case.num_points == 300 and case.settings["llt"]["dim"] == 32


def test_bytes_and_losses_of_a_step_are_those_of_the_model():
    one, shares, parts = measure_parallel(SMALL, layouts([2]), batch_size=2, steps=3)
    model = build_model("llt", SMALL.problem, **SIZES)
    gradient = 4 * sum(p.numel() for p in model.parameters())
    assert one["summed_bytes"] == one["halo_bytes"] == 0 and one["times_one"] == 1
    assert gradient < shares["summed_bytes"] < gradient + 50  # and the loss
    assert shares["halo_bytes"] == 0
    # two blocks, each with its gradient, on two samples
    state = 2 * 2 * 2 * 4 * 16 * (8 + 1)
    assert gradient + state < parts["summed_bytes"] < gradient + state + 100
    # two rows of five points to one neighbor, and those of the output
    assert parts["halo_bytes"] == 2 * 2 * (2 * 5) * 4 * (2 * 16 + 1)
    for row in (shares, parts):
        assert row["ms"] > 0 and row["times_one"] > 0
        assert row["loss_difference"] < 1e-5


def test_a_process_that_ends_is_told(capfd):
    wrong = replace(SMALL, settings={"llt": {"dim": 15}})
    with pytest.raises(TrainingError, match="a process of 1 has ended; it says why above"):
        measure_parallel(wrong, layouts([1]), batch_size=2, steps=1)
    assert "dim=15" in capfd.readouterr().err


def test_a_record_and_its_table(tmp_path, capsys, monkeypatch):
    row = {"ms": 1234.5, "ms_quartiles": [1.0, 2.0], "loss_difference": 0.0}
    found = [
        {**row, "data": 1, "domain": 1, "times_one": 1.0, "summed_bytes": 0, "halo_bytes": 0},
        {**row, "data": 1, "domain": 4, "times_one": 3.5, "summed_bytes": 5e5, "halo_bytes": 2e6},
    ]
    monkeypatch.setattr("llt.bench.parallel.measure_parallel", lambda *_, **__: found)
    monkeypatch.setattr("sys.argv", ["llt", "bench", "parallel", "darcy"])
    out = tmp_path / "parallel/record.json"
    assert main(["bench", "parallel", "darcy", "--note", "shared machine", "--out", str(out)]) == 0
    assert "Darcy, 85 x 85" in capsys.readouterr().out
    record = read_record(out)
    assert record.note == "shared machine"
    assert parallel_rows(record.results) == [
        ("Darcy, 85 x 85", "1", "1,234 ms", "", "", ""),
        ("Darcy, 85 x 85", "4 parts", "1,234 ms", "3.50", "0.50 MB", "2.00 MB"),
    ]
    lines = parallel({"parallel/cpu": record})
    assert lines[2] == "| Darcy, 85 x 85 | 1 | 1,234 ms |  |  |  |" and lines[-1] == record.note
    assert main(["bench", "parallel", "--out", str(out)]) == 2
    assert "an earlier record" in capsys.readouterr().err


def test_batches_that_cannot_be_shared_are_refused(tmp_path, capsys):
    words = ["bench", "parallel", "--processes", "1,3", "--out", str(tmp_path / "record.json")]
    assert main(words) == 2
    assert "--batch 4: 3 processes cannot share it evenly" in capsys.readouterr().err
