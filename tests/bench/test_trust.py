"""Coverage of error bars over many splits."""

import json
from dataclasses import replace

import numpy as np
import pytest

from llt.bench.trust import measure_coverage
from llt.cli import main
from llt.data.splits import Splits
from llt.errors import DataError
from tests.conftest import ragged
from tests.trust.cases import surrogate_of


def held_out(num=70):
    return replace(ragged(num), splits=Splits.consecutive(10, 30, num - 40))


def test_bars_hold_in_the_mean():
    data = held_out()
    found = measure_coverage(surrogate_of(data), data, splits=40)
    assert (found["validation_cases"], found["test_cases"]) == (30, 30)
    for row in (found["cases"], *found["points"].values()):
        assert 0.88 < row["mean"] < 0.95
        assert len(row["shares"]) == 40
        assert row["mean"] == pytest.approx(np.mean(row["shares"]))
        assert len(set(row["shares"])) > 5


def test_few_cases_are_refused():
    data = replace(held_out(), splits=Splits.consecutive(10, 8, 50))
    with pytest.raises(DataError, match="8 validation cases give no bars"):
        measure_coverage(surrogate_of(data), data)


def test_the_command_keeps_a_record(tmp_path, capsys):
    data = held_out(52)
    data.save(tmp_path / "set.h5")
    surrogate_of(data).save(tmp_path / "weights")
    pair, out = f"{tmp_path / 'weights'}={tmp_path / 'set.h5'}", tmp_path / "trust" / "record.json"
    assert main(["bench", "trust", pair, "--splits", "2", "--out", str(out)]) == 0
    record = json.loads(out.read_text())
    assert record["study"] == "trust"
    (row,) = record["results"].values()
    assert set(row["points"]) == {"stress", "strain"}
    assert "of cases" in " ".join(capsys.readouterr().out.split())  # long names break lines
    assert main(["bench", "trust", "set.h5", "--out", str(tmp_path / "b.json")]) == 2
    assert "expected RUN=FILE" in capsys.readouterr().err
