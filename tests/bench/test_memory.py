"""What saves memory in a training step: what is measured, and what is said of it."""

from dataclasses import replace

import pytest

from llt.bench.case import Case
from llt.bench.memory import measure_memory
from llt.bench.memory_table import memory, memory_rows
from llt.bench.record import read_record
from llt.cli import main
from llt.errors import ConfigError
from llt.problem import DARCY, ELASTICITY

# so large that activations outweigh what a first step fills once, some 100 MB
SETTINGS = {"llt": {"dim": 32, "num_layers": 8, "heads": 2}}
GRID = Case(
    name="grid",
    problem=replace(DARCY, grid=(128, 128)),
    num_points=128 * 128,
    settings=SETTINGS,
)
POINTS = Case(name="points", problem=ELASTICITY, num_points=8000, settings=SETTINGS)


def test_blocks_that_are_computed_twice_take_less_memory():
    whole, recompute = measure_memory(GRID, "cpu", share=4)
    assert [row["way"] for row in (whole, recompute)] == ["whole", "recompute"]
    assert whole["points"] == recompute["points"] == GRID.num_points
    assert 0 < recompute["bytes"] < 0.75 * whole["bytes"]
    assert whole["seconds"] > 0 and recompute["seconds"] > 0


def test_a_part_of_a_point_set_takes_less_memory():
    whole, _, part = measure_memory(POINTS, "cpu", share=4)
    assert (part["way"], part["points"]) == ("part", 2000)
    assert part["bytes"] < whole["bytes"]


def test_what_goes_wrong_in_the_process_is_told():
    wrong = replace(GRID, settings={"llt": {"dim": 33}})
    with pytest.raises(ConfigError, match="dim=33"):
        measure_memory(wrong, "cpu", share=4)


def test_a_record_and_its_table(tmp_path, capsys, monkeypatch):
    asked = []

    def measured(case, device, *, share):
        asked.append((case.num_points, case.settings["llt"]["dim"], device, share))
        row = {"points": case.num_points, "bytes": 2**31, "seconds": 0.5}
        return [{**row, "way": "whole"}, {**row, "way": "part", "points": 50, "seconds": 0.002}]

    monkeypatch.setattr("llt.bench.memory.measure_memory", measured)
    out = tmp_path / "cost/memory-cpu.json"
    words = ["bench", "memory", "--points", "100", "--grid", "64", "--share", "2"]
    command = [*words, "--device", "cpu", "--note", "quiet", "--out", str(out)]
    assert main(command) == 0
    assert asked == [(100, 64, "cpu", 2), (64, 64, "cpu", 2)]
    assert "points in space" in capsys.readouterr().out
    record = read_record(out)
    assert record.note == "quiet"
    assert memory_rows(record.results)[:2] == [
        ("points in space", "everything kept", "100", "2.00 GiB", "0.50 s"),
        ("points in space", "`train.points`", "50", "2.00 GiB", "2.0 ms"),
    ]
    assert memory({"cost/memory-cpu": record, "cost/other": record})[2:] == [
        "| points in space, cpu | everything kept | 100 | 2.00 GiB | 0.50 s |",
        "| points in space, cpu | `train.points` | 50 | 2.00 GiB | 2.0 ms |",
        "| grid, cpu | everything kept | 64 | 2.00 GiB | 0.50 s |",
        "| grid, cpu | `train.points` | 50 | 2.00 GiB | 2.0 ms |",
    ]
    assert main(command) == 2
    assert "an earlier record" in capsys.readouterr().err
