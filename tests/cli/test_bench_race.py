"""`llt bench race` as a user types it."""

import json

import pytest

from llt.cli import main

SMALL = [
    word
    for name in ("best", "paper", "transolver")
    for key, value in (("dim", 8), ("num_layers", 1), ("heads", 2))
    for word in ("--set", f"{name}.model.{key}={value}")
]


def race(data, *args):
    epochs = ("--epochs", "best=2,paper=2,transolver=1")
    words = map(str, (data, "--device", "cpu", *SMALL, *epochs, *args))
    return main(["bench", "race", *words])


def test_json_is_the_record_and_a_second_call_trains_nothing(
    darcy_file, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("sys.argv", ["llt", "bench", "race"])
    out = tmp_path / "race"
    assert race(darcy_file, "--to", 0.5, "--json", "--out", out) == 0
    shown = capsys.readouterr()
    record = json.loads(shown.out)
    assert record == json.loads((out / "record.json").read_text())
    contenders = record["results"]["contenders"]
    assert list(contenders) == ["best", "paper", "transolver"]
    assert [len(c["curve"]["seconds"]) for c in contenders.values()] == [2, 2, 1]
    assert "LLT (best): 2 epochs" in shown.err
    monkeypatch.setattr("llt.bench.contender.train", None)
    assert race(darcy_file, "--to", 0.9, "--out", out) == 0
    shown = capsys.readouterr().out
    for word in ("Transolver", "target reached", "LLT (paper)"):
        assert word in shown
    again = json.loads((out / "record.json").read_text())["results"]
    assert again["target"] == 0.9
    assert again["contenders"]["best"]["curve"] == contenders["best"]["curve"]


def test_a_stopped_race_says_how_it_goes_on(darcy_file, tmp_path, capsys, monkeypatch):
    import signal

    from llt.training.loop import Interrupted
    from llt.training.state import Progress

    def stopped(*args, **kwargs):
        raise Interrupted(signal.SIGINT, tmp_path, Progress(epoch=4))

    monkeypatch.setattr("llt.bench.contender.train", stopped)
    assert race(darcy_file, "--to", 0.5, "--out", tmp_path / "race") == 130
    err = capsys.readouterr().err
    assert err.splitlines()[-1] == "stopped by SIGINT in epoch 5; the same command goes on"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--to", "0"], "--to 0.0: expected an error above 0, as 0.0044"),
        (["--to", "1", "--only", "bets"], "unknown contender 'bets'; did you mean best?"),
        (["--to", "1", "--epochs", "best"], "--epochs best: expected NAME=EPOCHS as in best=50"),
        (["--to", "1", "--set", "best"], "--set best: expected NAME.train.lr=1e-3 or"),
        (["--to", "1", "--set", "best.lr=1"], "--set lr=1: expected SECTION.NAME=VALUE"),
        (["--to", "1", "--set", "best.train.lrr=1"], "unknown setting of train 'lrr'"),
    ],
)
def test_bad_input_is_one_line(args, message, darcy_file, capsys, tmp_path):
    assert race(darcy_file, *args, "--out", tmp_path / "race") == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "race").exists()
