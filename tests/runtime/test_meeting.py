"""Processes that do not find each other, and who says what went wrong."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest

from llt.errors import ConfigError, LostError, TrainingError
from llt.runtime import meeting, team
from llt.runtime.place import Place
from llt.runtime.team import Team

PLACE = Place(1, 2, 1, 2)
CODE = """
import sys
from datetime import timedelta
from llt.cli import main
from llt.runtime import meeting
meeting.PATIENCE = timedelta(seconds=2)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("rank", [0, 1])
def test_an_address_where_nobody_else_is_takes_one_line(rank, tmp_path):
    """Its first process waits there for others, the other one for the first."""
    port = str(20_000 + os.getpid() % 12_000)  # that nobody is given who asks for any
    place = {"RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": str(rank)}
    done = subprocess.run(
        [sys.executable, "-c", CODE, "train", "darcy.h5", "--out", str(tmp_path / "run")],
        env=os.environ | place | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    line = f"llt: process {rank} of 2 does not find the others at 127.0.0.1:{port}: "
    assert done.stderr.startswith(line) and done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_process_waits_for_the_first_one(monkeypatch):
    asked = []

    def connect(address, timeout):
        asked.append(address)
        if len(asked) < 3:
            raise ConnectionRefusedError
        return meeting.socket.socket()

    monkeypatch.setattr(meeting.socket, "create_connection", connect)
    meeting._await("host", 7)
    assert asked == [("host", 7)] * 3
    monkeypatch.setattr(meeting, "PATIENCE", timedelta(0))
    asked.clear()
    with pytest.raises(ConnectionRefusedError):
        meeting._await("host", 7)


class Store:
    """What several processes count in."""

    def __init__(self):
        self.count = 0

    def add(self, name, number):
        if self.count is None:
            raise RuntimeError("Connection reset by peer")
        self.count += number
        return self.count


def told(store, error):
    with pytest.raises(type(error)), meeting._one_speaks(store):
        raise error
    return error.heard


def test_the_first_to_have_an_error_speaks():
    store = Store()
    assert told(store, ConfigError("wrong")) is True
    assert told(store, ConfigError("wrong")) is False
    assert told(store, LostError("lost another one")) is False


def test_who_only_follows_the_first_process_leaves_the_word_to_it(monkeypatch):
    store, line = Store(), "runs/darcy: already exists"
    monkeypatch.setattr(team, "_from_all", lambda text: [line, text])
    with pytest.raises(TrainingError, match=f"the first process stopped: {line}") as raised:
        Team(rank=1, size=2).first_does(lambda: None)
    assert told(store, raised.value) is False
    assert told(store, ConfigError(line)) is True


def test_without_the_process_that_counts_everybody_speaks():
    store = Store()
    store.count = None
    assert told(store, LostError("lost another one")) is True


def test_after_a_disk_error_what_follows_is_silent():
    store = Store()
    with pytest.raises(OSError, match="full"), meeting._one_speaks(store):
        raise OSError("full")
    assert told(store, LostError("lost another one")) is False


def test_losses_are_told_from_other_errors():
    line = r"process 1 of 2 lost another one: \[gloo\] closed$"
    with pytest.raises(LostError, match=line), meeting._losses(PLACE):
        raise RuntimeError("[gloo] closed\nframes")
    for error in (RuntimeError("sizes differ"), TrainingError("no socket for the lamp")):
        with pytest.raises(type(error)) as raised, meeting._losses(PLACE):
            raise error
        assert raised.value is error
