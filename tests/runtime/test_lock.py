"""One writer at a time."""

import json
import os
import socket
import subprocess
import sys
import time
import warnings
from contextlib import suppress
from threading import Event, Thread

import pytest

from llt.errors import BusyError
from llt.runtime import lock
from llt.runtime.lock import NAME, claimed
from tests.waiting import until

HOLD = """
import sys
from pathlib import Path
from llt.runtime.lock import claimed
with claimed(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the folder until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_folder_is_free_again_after_use(tmp_path):
    for _ in range(2):
        with claimed(tmp_path / "new"):
            assert json.loads((tmp_path / "new" / NAME).read_text())["process"] == os.getpid()
    assert not [*(tmp_path / "new").iterdir()]


def test_a_folder_is_free_again_after_an_error(tmp_path):
    with pytest.raises(ValueError, match="mine"), claimed(tmp_path):
        raise ValueError("mine")
    assert not [*tmp_path.iterdir()]


def test_the_second_is_told_who_the_first_is(tmp_path, holder):
    who = f"in use by process {holder.pid} on {socket.gethostname()} since 20"
    with pytest.raises(BusyError, match=who), claimed(tmp_path):
        pass
    assert (tmp_path / NAME).is_file()


def test_the_same_process_cannot_claim_twice(tmp_path):
    with claimed(tmp_path), pytest.raises(BusyError), claimed(tmp_path):
        pass


def test_the_folder_of_a_killed_process_is_taken_over_with_a_word(tmp_path, holder):
    holder.kill()
    holder.wait()
    word = f"taken over from process {holder.pid}"
    with pytest.warns(UserWarning, match=word), claimed(tmp_path):
        pass
    assert not [*tmp_path.iterdir()]


def test_a_number_that_came_round_again_is_no_owner(tmp_path):
    mine = {"process": os.getpid(), "started": "1", "machine": socket.gethostname()}
    (tmp_path / NAME).write_text(json.dumps(mine))
    with pytest.warns(UserWarning, match="taken over"), claimed(tmp_path):
        pass


def test_an_owner_elsewhere_counts_as_gone_after_long_silence(tmp_path):
    path = tmp_path / NAME
    path.write_text('{"process": 1, "machine": "elsewhere"}')
    with pytest.raises(BusyError), claimed(tmp_path):
        pass
    long_ago = time.time() - lock.STALE - 1
    os.utime(path, (long_ago, long_ago))
    with pytest.warns(UserWarning, match="taken over"), claimed(tmp_path):
        pass


@pytest.mark.parametrize("content", ["", "[]", '{"pro'])
def test_who_died_before_writing_its_name_is_not_waited_for_long(tmp_path, monkeypatch, content):
    monkeypatch.setattr(lock, "GRACE", 0.2)
    (tmp_path / NAME).write_text(content)
    start = time.monotonic()
    with pytest.warns(UserWarning, match="taken over"), claimed(tmp_path):
        pass
    assert time.monotonic() - start > 0.2  # it could have been about to


def test_who_is_about_to_write_its_name_is_waited_for(tmp_path, monkeypatch):
    answers = iter([({}, 0.0), ({}, 0.0), ({"machine": "elsewhere"}, 0.0)])
    monkeypatch.setattr(lock, "_read", lambda path: next(answers))
    (tmp_path / NAME).touch()
    with pytest.raises(BusyError, match="elsewhere"), claimed(tmp_path):
        pass


def test_on_a_full_disk_there_is_no_lock_of_nobody(tmp_path, monkeypatch):
    def full(about, file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(lock.json, "dump", full)
    with pytest.raises(OSError, match="No space left") as error, claimed(tmp_path):
        pass
    assert error.value.filename == str(tmp_path / NAME)
    assert not [*tmp_path.iterdir()]


def test_what_the_last_owner_left_half_written_is_removed(tmp_path):
    (tmp_path / "best").mkdir()
    kept = [tmp_path / "mine.part", tmp_path / ".mine.part", tmp_path / "best" / "1.part"]
    for path in (*kept, tmp_path / ".a.json.12.part", tmp_path / "best" / ".a.json.12.part"):
        path.touch()
    with claimed(tmp_path):
        assert sorted(tmp_path.rglob("*.part")) == sorted(kept)


def test_the_owner_shows_that_it_lives(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "BEAT", 0.05)
    with claimed(tmp_path):
        os.utime(tmp_path / NAME, (0, 0))
        until(lambda: (tmp_path / NAME).stat().st_mtime >= 1)


def test_of_many_that_come_at_once_one_gets_in(tmp_path):
    """Also where all of them find a lock that is stale."""
    (tmp_path / NAME).write_text(
        json.dumps({"process": 2**22 + 5, "machine": socket.gethostname()})
    )
    crowd = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", HOLD, tmp_path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    # those that were refused have ended; the input of all stays open until they have
    until(lambda: sum(process.poll() is None for process in crowd) <= 1)
    held = [process for process in crowd if process.poll() is None]
    answers = [process.communicate()[0] for process in crowd]
    assert len(held) == 1
    assert answers.count(b"held\n") == 1


def test_a_new_lock_is_not_taken_for_the_stale_one(tmp_path, monkeypatch):
    """One comes between another's look at the stale lock and its removal: either may get in."""
    (tmp_path / NAME).write_text(
        json.dumps({"process": 2**22 + 5, "machine": socket.gethostname()})
    )
    inside, end, alive = [], Event(), lock._alive

    def come():
        with suppress(BusyError), claimed(tmp_path):
            inside.append("second")
            end.wait(60)

    def slow(owner, age):
        found = alive(owner, age)
        if second.ident is None:
            second.start()
            second.join(0.5)  # as long as it takes to get in, if it can
        return found

    second = Thread(target=come)
    monkeypatch.setattr(lock, "_alive", slow)
    with pytest.warns(UserWarning, match="taken over"), suppress(BusyError), claimed(tmp_path):
        inside.append("first")
        end.set()
        second.join(60)
    end.set()
    second.join(60)
    assert len(inside) == 1


def test_no_word_where_nothing_was_taken_over(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with claimed(tmp_path):
            pass
