"""Models side by side: same mode, same run, ratio of medians."""

from llt.bench.comparison import compare
from llt.bench.cost import measure_cases
from tests.bench.sizes import QUICK, row, tiny


def test_speedup_is_the_ratio_of_medians_of_one_run():
    rows = measure_cases([tiny()], QUICK, lambda row: None)
    (entry,) = compare(rows)
    assert entry.way == "eager"
    assert entry.speedup == rows[1].ms / rows[0].ms
    assert entry.to_dict() == {
        "case": "tiny",
        "num_points": 20,
        "way": "eager",
        "llt_ms": rows[0].ms,
        "transolver_ms": rows[1].ms,
        "llt_mib": None,
        "transolver_mib": None,
        "llt_way": "eager",
        "transolver_way": "eager",
        "transolver_code": "transolver",
        "speedup": entry.speedup,
    }


def test_modes_are_compared_like_with_like_and_best_with_best():
    rows = [
        row(mode="eager", ms=10.0),
        row(mode="graph", ms=4.0),
        row(mode="graph", kernels="fused", ms=2.0),
        row(model="transolver", mode="eager", ms=30.0),
        row(model="transolver", mode="graph", ms=40.0),
    ]
    found = {entry.way: entry.speedup for entry in compare(rows)}
    assert found == {"eager": 3, "graph": 10, "graph fused": 20, "best": 15}


def test_a_failed_side_has_no_speedup_and_is_never_the_best():
    rows = [
        row(mode="eager", ms=10.0),
        row(mode="graph", reason="out of memory"),
        row(model="transolver", mode="eager", ms=30.0),
        row(model="transolver", mode="graph", ms=20.0),
        row(case="pipe", mode="eager", reason="out of memory"),
        row(case="pipe", model="transolver", mode="eager", reason="out of memory"),
    ]
    found = {(e.case, e.way): e for e in compare(rows)}
    assert found["darcy", "graph"].speedup is None
    assert found["darcy", "best"].speedup == 2
    assert found["pipe", "best"].speedup is None
    assert found["pipe", "best"].llt.reason == "out of memory"


def test_sizes_only_one_model_reached_are_kept():
    (entry,) = compare([row(points=512, ms=1.0)])
    assert entry.transolver is None
    assert entry.speedup is None
    assert entry.to_dict()["transolver_ms"] is None
    assert entry.num_points == 512


def test_nothing_to_compare():
    assert compare([]) == []


def test_cases_do_not_mix():
    rows = [
        row(case="darcy", ms=1.0),
        row(case="darcy", model="transolver", ms=2.0),
        row(case="pipe", ms=1.0),
        row(case="pipe", model="transolver", ms=7.0),
    ]
    found = {entry.case: entry.speedup for entry in compare(rows)}
    assert found == {"darcy": 2, "pipe": 7}
