"""Records keep what is needed to judge a number, and refuse what is not a record."""

import json

import pytest
import torch

from llt.bench.record import new_record, read_record, read_records, write_record
from llt.cli import main
from llt.errors import DataError

CPU = torch.device("cpu")


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["llt", "bench", "cost", "--out", "a folder"])
    path = tmp_path / "studies/cost/one.json"
    write_record(path, new_record("cost", "A step", CPU, {"ms": 2.5}, {"steps": 3}))
    return path


def test_a_record_is_what_was_written_and_says_where(path, tmp_path):
    record = read_record(path)
    assert (record.study, record.title, record.results) == ("cost", "A step", {"ms": 2.5})
    assert record.settings == {"steps": 3}
    assert record.environment.keys() >= {"commit", "date", "device", "packages"}
    assert record.command == "llt bench cost --out 'a folder'"
    assert read_records(tmp_path) == {"cost/one": record}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "other"}, "schema ('other', 1) is not ('llt-record', 1)"),
        ({"version": 2}, "schema ('llt-record', 2) is not"),
        ({"extra": 1}, "missing or unknown: extra"),
        ({"title": " "}, "title ' ' must be a line of text"),
        ({"environment": {"date": "", "device": "cpu"}}, "environment has no commit, packages"),
        ({"study": "kernels"}, "study kernels is not the folder cost"),
    ],
)
def test_a_broken_record_is_refused(path, change, message):
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DataError) as error:
        read_record(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)


def test_what_is_no_record_is_refused(path, tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_record(path.with_name("two.json"))
    path.write_text("{")
    with pytest.raises(DataError, match="not valid JSON"):
        read_record(path)
    with pytest.raises(DataError, match="no records; give the folder benchmarks/"):
        read_records(tmp_path / "elsewhere")


def test_a_run_becomes_a_record(tmp_path, darcy_file, capsys):
    run, out = tmp_path / "run", tmp_path / "accuracy/darcy.json"
    words = ["--title", "LLT on small Darcy", "--command", "llt train small.h5"]
    small = ["model.dim=8", "model.num_layers=1", "train.epochs=2"]
    settings = [word for setting in small for word in ("--set", setting)]
    assert main(["train", str(darcy_file), "--out", str(run), *settings]) == 0
    assert main(["bench", "record", str(run), "-o", str(out), *words]) == 2
    assert "run: no evaluation.json; train and evaluate the run first" in capsys.readouterr().err
    assert main(["evaluate", str(run)]) == 0
    assert main(["bench", "record", str(run), "-o", str(out), *words]) == 0
    record = read_record(out)
    assert record.command == "llt train small.h5"
    assert record.settings["train"]["epochs"] == 2
    assert [row["epoch"] for row in record.results["metrics"]] == [1, 2]
    assert record.results["evaluation"]["relative_l2"] > 0
    assert record.data.keys() >= {"hash", "splits"}
    assert "path" not in record.data
