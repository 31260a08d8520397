"""Published numbers are the records' numbers, and follow them."""

from dataclasses import replace
from pathlib import Path

from llt.bench import published
from llt.bench.race_report import verdict
from llt.bench.record import read_records
from tests.bench.test_race_report import RESULTS as RACE
from tests.bench.test_small_report import CELLS

RECORDS = read_records(Path(__file__).parents[2] / "benchmarks")


def cells(lines):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def changed(name, results=None, **fields):
    record = RECORDS[name]
    results = {**record.results, **(results or {})}
    return {**RECORDS, name: replace(record, results=results, **fields)}


def test_a_training_is_the_mean_of_its_seeds():
    name = "accuracy/darcy-h200-best-50-epochs-seed-1"
    alone = {key: r for key, r in RECORDS.items() if "50-epochs-seed" not in key or key == name}
    record = RECORDS[name]
    found = {"relative_l2": 0.12345, "mean_field_error": 0.5, "symmetrized": {"relative_l2": 0.1}}
    alone[name] = replace(record, results={**record.results, "evaluation": found})
    row = cells(published.trainings(alone))[2]
    assert row[:4] == ["Darcy", "50", "0.12345", "0.10000"] and row[-2:] == ["0.500", "0.0044"]
    second = replace(
        record, results={**record.results, "evaluation": {**found, "relative_l2": 0.12347}}
    )
    row = cells(published.trainings(alone | {"accuracy/darcy-h200-best-x": second}))[2]
    assert row[1:3] == ["50, 2 seeds", "0.12346"]


def test_parts_of_the_recipe_are_sorted_by_what_they_are_worth():
    results = {"whole": [0.1, 0.3], "without": {"this": 0.21, "that": 0.4}}
    table = cells(
        published.TABLES["ablation-darcy"](changed("recipe/ablation-h200", {"darcy": results}))
    )
    assert table[2:] == [
        ["nothing", "0.20000", ""],
        ["that", "0.40000", "+100 %"],
        ["this", "0.21000", "+5 %"],
    ]


def test_grids_of_training_are_told_from_others():
    table = cells(published.TABLES["resolutions"](RECORDS))[2:]
    assert {row[0]: row[1] for row in table}["106 x 106"] == "no"
    assert {row[0]: row[1] for row in table}["141 x 141"] == "yes"


def test_weights_are_those_of_the_smallest_validation_error():
    name = "accuracy/airfoil-h200-best-200-epochs"
    curve = [{"epoch": e, "val_error": v} for e, v in ((1, 0.3), (2, 0.1), (3, 0.2))]
    table = cells(published.TABLES["trained-airfoil"](changed(name, {"metrics": curve})))
    assert table[4] == ["validation error of the weights kept", "0.1000 (epoch 2)"]


def test_cost_compares_the_best_and_the_eager_rows():
    row = {"case": "darcy", "llt_ms": 2.0, "transolver_ms": 11.0, "speedup": 5.5}
    row |= {"llt_mib": 1.0, "transolver_mib": 4.0}
    rows = [row | {"way": "eager", "speedup": 0.7}, row | {"way": "best"}]
    new = changed("cost/problems-h200", {"problems": {"comparisons": rows}})
    expected = ["Darcy", "2.00", "11.0", "5.50", "2.05", "0.25", "0.70"]
    assert cells(published.TABLES["cost-problems"](new))[2:] == [expected]


def test_models_are_sorted_by_their_error():
    table = cells(published.models(RECORDS))[2:]
    errors = [float(row[2]) for row in table]
    assert errors == sorted(errors)
    assert len(table) == 19


def test_differences_are_relative_and_signed():
    models = {"a": {"tf32": 0.2, "bf16": 0.21}, "b": {"tf32": 1.0, "bf16": 0.99999}}
    new = changed("precision/models-bf16-h200", {"models": models})
    assert [row[3] for row in cells(published.models_bf16(new))[2:]] == ["+5.0 %", "0.0 %"]


def without(study):
    return {name: r for name, r in RECORDS.items() if not name.startswith(f"{study}/")}


def test_races_stand_one_below_the_other_with_their_verdict():
    record = replace(RECORDS["cost/problems-h200"], title="On darcy", results=RACE)
    assert published.race(without("race")) == []
    lines = published.race({**without("race"), "race/a": record, "race/b": record})
    assert lines[0] == f"On darcy (`race/a`, target 0.0044); {verdict(RACE)}:"
    assert cells(lines[2:6])[2][0] == "LLT (best)"
    assert lines[6:8] == ["", lines[0].replace("race/a", "race/b")]


def test_small_sets_of_all_records_are_one_table():
    first, second = (
        replace(RECORDS["cost/problems-h200"], results={"cells": {name: CELLS[name]}})
        for name in ("1", "2")
    )
    assert published.small(without("small")) == []
    table = published.small({**without("small"), "small/a": first, "small/b": second})
    assert [row[:2] for row in cells(table)[2:]] == [["darcy", "20"], ["darcy", "100"]]


def test_networks_for_a_cpu_stand_beside_each_other():
    def record(model, error, last):
        vectors = {"u": {"relative_l2": 10 * error}}
        evaluation = {
            "relative_l2": error,
            "worst": 3 * error,
            "mean_field_error": 0.04,
            "parameters": 1234,
            "vectors": vectors,
            "times": [{"vectors": {"u": 9.0}}, {"vectors": {"u": last}}],
        }
        return replace(
            RECORDS["accuracy/arrays-cpu"],
            settings={"model": {"name": model}, "train": {"epochs": 7}},
            results={"evaluation": evaluation, "training_seconds": 119.0},
        )

    found = {
        "accuracy/plasticity-cpu-llt": record("llt", 0.002, 0.05),
        "accuracy/plasticity-cpu-transolver": record("transolver", 0.004, 0.07),
        "accuracy/plasticity-h200-llt": record("llt", 0.001, 0.02),
        "accuracy/car-cpu-llt": record("llt", 1.0, 1.0),
    }
    assert cells(published.TABLES["plasticity-cpu"](found))[2:] == [
        ["LLT", "1,234", "7", "2", "0.00200", "0.0200", "0.0500", "0.00600", "0.0400"],
        ["Transolver", "1,234", "7", "2", "0.00400", "0.0400", "0.0700", "0.01200", "0.0400"],
    ]
    # several shared the GPU: their minutes say nothing
    expected = ["LLT", "1,234", "7", "0.00100", "0.0100", "0.0200", "0.00300", "0.0400"]
    assert cells(published.TABLES["plasticity"](found))[2:] == [expected]


def test_large_meshes_are_told_by_points_seconds_and_memory():
    results = {
        "darcy, cases": {"cases": 200, "one_ms": 0.7},
        "car, 10000000 points": {"num_points": 1e7, "chunks_s": 2.14, "chunks_mib": 2048.0},
    }
    new = {"prediction/large-h200": replace(RECORDS["accuracy/arrays-cpu"], results=results)}
    expected = ["points in space, 32 neighbors", "10,000,000", "2.1 s", "2.0 GiB"]
    assert cells(published.TABLES["large"](new))[2:] == [expected]


def test_cars_are_told_by_air_surface_and_drag():
    evaluation = {
        "parameters": 1,
        "vectors": {"velocity": {"relative_l2": 9.0}, "velocity off surface": {"relative_l2": 0.1}},
        "fields": {"pressure": {"relative_l2": 0.2}},
        "derived": {"drag": {"relative_error": 0.0304, "rank_correlation": 0.9876}},
    }
    record = replace(
        RECORDS["accuracy/arrays-cpu"],
        settings={"model": {"name": "geofno"}, "train": {"epochs": 1}},
        results={"evaluation": evaluation, "training_seconds": 60.0},
    )
    row = cells(published.TABLES["car"]({"accuracy/car-h200-geofno": record}))[2]
    assert row[3:] == ["0.1000", "0.2000", "0.030", "0.988"]
