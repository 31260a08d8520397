"""A library that crashes, hangs or fills the memory takes its own process with it alone."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from llt.errors import DataError
from llt.runtime import apart as module
from llt.runtime.apart import Apart
from tests.waiting import until

PATH = Path("case.vtu")


def work(what):
    sys.stdout.write("a word of the library\n")
    os.write(1, b"and one of its C++\n")
    os.write(2, b"a warning of many lines\n" * 3)
    if what == "crash":
        os.abort()
    if what == "refuse":
        raise DataError("case.vtu: no pressure")
    if what == "bug":
        return {}["missing"]
    if what == "hang":
        time.sleep(600)
    if what == "fill":
        return len(bytearray(2**31))
    return os.getpid()


@pytest.fixture
def apart():
    with Apart() as process:
        yield process


def test_results_refusals_and_bugs_come_back_from_one_process(apart, capfd):
    one = apart.call(PATH, work, "whole")
    with pytest.raises(DataError, match=r"^case.vtu: no pressure$"):
        apart.call(PATH, work, "refuse")
    with pytest.raises(KeyError, match="missing"):
        apart.call(PATH, work, "bug")
    assert apart.call(PATH, work, "whole") == one != os.getpid()
    assert capfd.readouterr() == ("", "")


def test_after_a_crash_there_is_one_line_and_a_new_process(apart, capfd):
    one = apart.call(PATH, work, "whole")
    with pytest.raises(DataError, match=r"^case.vtu: damaged; the library that reads it crashed"):
        apart.call(PATH, work, "crash")
    assert apart.call(PATH, work, "whole") != one
    assert capfd.readouterr() == ("", "")


def test_what_hangs_is_ended(apart):
    apart.call(PATH, work, "whole")
    begin = time.monotonic()
    with pytest.raises(DataError, match=r"case.vtu: .* took more than 1 s$"):
        apart.call_within(PATH, 1.0, None, work, "hang")
    assert time.monotonic() - begin < 120  # what hangs would take 600 s


def test_a_crash_after_a_slow_start_is_a_crash(apart, monkeypatch):
    monkeypatch.setattr(module, "monotonic", iter([0.0, 1000.0]).__next__)
    monkeypatch.setattr(module, "SOON", 120.0)  # it may take a while to end
    with pytest.raises(DataError, match=r"case.vtu: damaged; the library that reads it crashed"):
        apart.call(PATH, work, "crash")


def test_relative_paths_are_those_of_who_asks(apart, tmp_path, monkeypatch):
    assert apart.call(PATH, os.getcwd) == str(Path.cwd())
    monkeypatch.chdir(tmp_path)
    assert apart.call(PATH, os.getcwd) == str(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_memory_is_limited_for_one_call(apart):
    with pytest.raises(MemoryError):
        apart.call_within(PATH, 60.0, 2**28, work, "fill")
    assert apart.call(PATH, work, "fill") == 2**31


def test_a_script_needs_no_guard_and_leaves_no_process(tmp_path):
    (tmp_path / "script.py").write_text(
        "import os\nfrom pathlib import Path\nfrom llt.runtime.apart import Apart\n"
        "print(Apart().call(Path('x'), os.getpid))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", tmp_path / "script.py"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(Path.cwd())},
    )
    assert not done.stderr
    child = int(done.stdout)
    until(lambda: not Path(f"/proc/{child}").exists())
