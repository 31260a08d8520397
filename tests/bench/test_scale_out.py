"""The cost on many GPUs follows from its pieces."""

from dataclasses import replace
from math import isclose
from pathlib import Path

import pytest

from llt.bench import scale_out as model
from llt.bench.record import read_records
from llt.models import build_model
from llt.presets import find_preset
from llt.problem import DARCY

RECORDS = read_records(Path(__file__).parents[2] / "benchmarks")
CHUNKS = {"car, 65536 points": {"at once s": 0.065536}}  # a microsecond a point


def test_sums_start_and_then_go_at_the_speed_of_the_slowest_link():
    size = 1e9
    assert isclose(model.sum_seconds(size, 8), 10e-6 + 2 * 7 / 8 / 476)
    between = 30e-6 + 60e-6 + 2 * 511 / 512 / (8 * 47)
    assert isclose(model.sum_seconds(size, 512), between)
    assert isclose(model.halo_seconds(size, 8), 10e-6 + 1 / 370)
    assert isclose(model.halo_seconds(size, 64), 30e-6 + 1 / 47)


def test_bytes_are_those_of_the_model():
    found, whole = (
        model.preset_model("darcy"),
        build_model("llt", DARCY, **find_preset("darcy").model),
    )
    assert model.gradient_bytes(found) == 4 * sum(p.numel() for p in whole.parameters())
    # per head a matrix of 16 x 16 and a vector of 16, of float32
    assert model.state_bytes(found) == 8 * (16 * 16 + 16) * 4
    assert model.point_bytes(found) == 128 * 4


def test_a_part_computes_its_points_and_reads_those_around_them():
    step = model.point_set(CHUNKS, 10)  # cubes of 100 points a side
    assert isclose(step.computing, 3.0)
    assert isclose(step.halo, 6 * 2 * 100**2)
    assert step.messages == 16
    assert isclose(step.share, 3 / (3 + step.halos + step.states))


def test_strips_read_rows_of_both_neighbors():
    rows = [{"model": "llt", "ms": 1.0, "num_points": 4}, {"model": "llt", "ms": None}]
    rows += [{"model": "llt", "ms": 8.0, "num_points": 2_000}, {"model": "x", "ms": 1.0}]
    step = model.square_grid({"scaling": {"rows": rows}}, 2)
    assert step.halo == 2 * 2 * 3162
    assert isclose(step.computing, 1e-6 * 3162**2 / 2)


@pytest.mark.parametrize("name", ["cost/step-h200", "prediction/chunks-h200"])
def test_the_table_follows_the_records(name):
    def slower(found):
        if isinstance(found, dict):
            return {key: slower(value) for key, value in found.items()}
        return found * 100 if isinstance(found, float) else found

    record = RECORDS[name]
    other = {**RECORDS, name: replace(record, results=slower(record.results))}
    assert model.scale_out(other) != model.scale_out(RECORDS)
