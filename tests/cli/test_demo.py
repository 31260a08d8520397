"""`llt demo` keeps what an earlier one left, and says how to go on when it is stopped."""

import signal

import pytest

from llt.cli import demo, main


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(demo, "SETTINGS", {"resolution": 25, "stored_resolution": 13})
    monkeypatch.setattr("os.cpu_count", lambda: 1)


def test_data_are_used_again_and_never_replaced(tmp_path, capsys):
    out = tmp_path / "demo"
    first = demo._generate(out, (2, 1, 1))
    assert first.name == "demo-data.h5"
    before = first.read_bytes()
    capsys.readouterr()
    assert demo._generate(out, (2, 1, 1)) == first
    assert f"{first}: of an earlier demo" in capsys.readouterr().err
    assert demo._generate(out, (3, 1, 1)).name == "demo-data.1.h5"
    (tmp_path / "other-data.h5").write_text("not a dataset")
    assert demo._generate(tmp_path / "other", (2, 1, 1)).name == "other-data.1.h5"
    assert first.read_bytes() == before


def test_stopped_while_generating(tmp_path, capsys, monkeypatch):
    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("llt.generation.generate_file", stopped)
    assert main(["demo", "--out", str(tmp_path / "demo")]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "stopped; the same command goes on"


def test_stopped_while_training(tmp_path, capsys, monkeypatch):
    from llt.training import run, state
    from llt.training.loop import Interrupted

    out = tmp_path / "demo"

    def stopped(*args, **kwargs):
        raise Interrupted(signal.SIGINT, out, state.Progress())

    monkeypatch.setattr(run, "train", stopped)
    assert main(["demo", "--out", str(out), "--num", "2,1,1"]) == 130
    last = capsys.readouterr().err.splitlines()[-1]
    go_on = f"go on with: llt train --resume {out}, then llt report {out}"
    assert last == f"stopped by SIGINT in epoch 1; {go_on}"


def test_stopped_while_evaluating(tmp_path, capsys, monkeypatch):
    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("llt.training.run.train", lambda *args, **kwargs: None)
    monkeypatch.setattr("llt.evaluation.metrics.evaluate", stopped)
    out = tmp_path / "demo"
    assert main(["demo", "--out", str(out), "--num", "2,1,1"]) == 130
    go_on = f"stopped; the training is complete; go on with: llt report {out}"
    assert capsys.readouterr().err.splitlines()[-1] == go_on
