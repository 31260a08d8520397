"""`llt bench small` as a user types it."""

import json
import signal

import pytest

from llt.cli import main
from llt.training.loop import Interrupted
from llt.training.state import Progress


def bench(*args):
    return main(["bench", "small", *map(str, args)])


def test_two_processes_fill_one_record_which_is_kept(darcy_file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["llt", "bench", "small", "darcy.h5"])
    out, models = tmp_path / "small", ("--models", "llt::tiny,fno:paper:tiny")
    quick = ("--samples", "4", "--seconds", "0.2", "--test", "1")
    assert bench(darcy_file, *quick, *models, "--jobs", 2, "--out", out, "--json") == 0
    shown = capsys.readouterr()
    record = json.loads(shown.out)
    assert record == json.loads((out / "record.json").read_text())
    assert set(record["results"]["cells"]) == {"darcy-4-llt-best-tiny", "darcy-4-fno-paper-tiny"}
    assert shown.err.startswith("2 trainings of 0.2 s, 2 at a time with threads 1\n")
    assert "darcy-4-fno-paper-tiny: test error " in shown.err
    assert bench(darcy_file, *quick, *models, "--out", out) == 0
    shown = capsys.readouterr()
    assert shown.err.startswith("0 trainings")
    assert "LLT (best, tiny)" in shown.out
    assert "FNO (paper, tiny)" in shown.out


def test_a_stopped_study_says_how_it_goes_on(darcy_file, tmp_path, capsys, monkeypatch):
    def stopped(*args, **kwargs):
        raise Interrupted(signal.SIGTERM, tmp_path, Progress(epoch=4))

    monkeypatch.setattr("llt.bench.contender.train", stopped)
    quick = ("--samples", "4", "--seconds", "0.1", "--models", "llt:best:tiny")
    assert bench(darcy_file, *quick, "--out", tmp_path / "small") == 143
    err = capsys.readouterr().err
    assert err.splitlines()[-1] == "stopped by SIGTERM in epoch 5; the same command goes on"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--samples", "few"], "--samples few: expected numbers as in 20,100"),
        (["--samples", "9"], "darcy: 9 samples asked for, split train has 8"),
        (["--seconds", "0"], "--seconds 0.0: expected more than 0"),
        (["--models", "fnoo"], "unknown model 'fnoo'; did you mean fno"),
        (["--models", "llt:bets"], "unknown recipe 'bets'; did you mean best?"),
        (["--models", "llt:best:demo:4"], "llt:best:demo:4: expected MODEL:RECIPE:PRESET, as"),
    ],
)
def test_bad_input_is_one_line(args, message, darcy_file, capsys, tmp_path):
    assert bench(darcy_file, *args, "--out", tmp_path / "small") == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "small").exists()
