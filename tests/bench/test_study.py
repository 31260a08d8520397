"""The cost study as a folder: what was measured is kept, whatever comes after."""

import pytest
import torch

from llt.bench import study as studies
from llt.bench.cost import Protocol, Row
from llt.bench.record import load_record
from llt.bench.study import Study


def row(model, case="4,096"):
    about = {"case": case, "num_points": 4096, "grid": (64, 64), "mode": "eager"}
    return Row(model=model, kernels="reference", ms=2.0, ms_mean=2.0, **about)


@pytest.mark.parametrize("part", ["matched", "problems", "models"])
def test_a_study_that_is_stopped_keeps_its_rows(part, tmp_path, monkeypatch):
    told = []

    def stopped(cases, protocol, tell):
        tell(row("llt"))
        tell(row("transolver"))
        raise KeyboardInterrupt

    monkeypatch.setattr(studies, "measure_cases", stopped)
    monkeypatch.setattr(studies, "measure_models", stopped)
    study = Study(Protocol(device=torch.device("cpu")), tmp_path, told.append)
    with pytest.raises(KeyboardInterrupt):
        getattr(study, part)([])
    rows = load_record(tmp_path / "record.json").results[part]["rows"]
    assert [one["model"] for one in rows] == ["llt", "transolver"]
    assert told == [row("llt"), row("transolver")]


def test_a_study_that_is_stopped_compares_what_is_complete(tmp_path, monkeypatch):
    def stopped(cases, protocol, tell):
        for case, models in (("a", ["llt", "transolver"]), ("b", ["llt"])):
            for model in models:
                tell(row(model, case))
        raise KeyboardInterrupt

    monkeypatch.setattr(studies, "measure_cases", stopped)
    study = Study(Protocol(device=torch.device("cpu")), tmp_path, lambda row: None)
    with pytest.raises(KeyboardInterrupt):
        study.problems([])
    found = load_record(tmp_path / "record.json").results["problems"]
    assert [(one["case"], one["speedup"]) for one in found["comparisons"]] == [("a", 1.0)]
    assert len(found["rows"]) == 3
