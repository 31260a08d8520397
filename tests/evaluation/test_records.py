"""Where else a run is known."""

import json

from llt.evaluation.records import known_as

ENV = {"date": "2026-11-16T09:56:01+00:00", "commit": "27b70030fab0", "device": "NVIDIA H200"}


def test_a_run_is_the_one_that_began_at_the_same_moment(tmp_path):
    card = tmp_path / "cards" / "darcy" / "card.json"
    card.parent.mkdir(parents=True)
    card.write_text(json.dumps({"training": {"recipe": "best", **ENV}}))
    for number, env in enumerate((ENV, ENV | {"date": "2026-11-17"}, ENV | {"commit": "other"})):
        (tmp_path / f"{number}.json").write_text(json.dumps({"environment": env, "results": {}}))
    (tmp_path / "damaged.json").write_text("{")
    (tmp_path / "other.json").write_text('{"environment": 3}')
    assert [*known_as(ENV, tmp_path / "cards", tmp_path)] == [
        ("pretrained weights", "pretrained:darcy"),
        ("record", "benchmarks/studies/accuracy/0.json"),
    ]


def test_most_runs_are_known_nowhere():
    assert [*known_as(ENV | {"date": "now"})] == []
