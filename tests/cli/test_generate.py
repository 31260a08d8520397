"""`llt generate`: its settings, and what it says when it is stopped."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from llt.cli import main
from tests.waiting import until

SMALL = ["--set", "resolution=25", "--set", "stored_resolution=13"]


def test_settings_of_a_solver_are_shown(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "darcy", "--show", "--set", "tau=5"]) == 0
    lines = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines()]
    assert ["resolution", "421", "points per side of the solve"] in lines
    assert ["tau", "5", "its inverse length"] in lines
    assert not [*tmp_path.iterdir()]


def test_a_file_to_write_is_asked_for(capsys):
    assert main(["generate", "darcy"]) == 2
    assert capsys.readouterr().err == "llt: give the file to write: -o FILE\n"


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_stopped_it_says_what_is_kept(device, tmp_path, capsys, monkeypatch):
    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("llt.generation.generate_file", stopped)
    assert main(["generate", "darcy", "-o", str(tmp_path / "a.h5"), "--device", device]) == 130
    kept = "the same command with --resume goes on" if device == "cpu" else "nothing is kept"
    assert capsys.readouterr().err == f"stopped; {kept}\n"


def wait_for_samples(parts, number):
    until(lambda: len([*parts.glob("*.npz")]) >= number)


def children(pid):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True)
    return [int(word) for word in listed.stdout.split()]


def wait_until_they_ignore_ctrl_c(pid):
    """Both workers, and the process that tracks what they share: it is left to their parent."""
    until(lambda: len(found := children(pid)) == 3 and all(map(ignores_ctrl_c, found)))


def ignores_ctrl_c(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn"))
    return bool(int(ignored, 16) >> (signal.SIGINT - 1) & 1)


def test_ctrl_c_at_a_terminal_reaches_the_workers_too(tmp_path):
    """All processes of the group get the signal; one stops the work and says one line."""
    # a shell may start this test with Ctrl-C ignored
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from llt.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "generate", "darcy", "-o", str(tmp_path / "a.h5"),
               "--num", "20000,1,1", "--workers", "2", *SMALL]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, process_group=0)
    parts = tmp_path / "a.h5.parts"
    try:
        wait_for_samples(parts, 3)
        wait_until_they_ignore_ctrl_c(process.pid)
        for number in children(process.pid):
            os.kill(number, signal.SIGINT)
        wait_for_samples(parts, len([*parts.glob("*.npz")]) + 50)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=300)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    assert process.returncode == 130
    assert "Traceback" not in err
    assert err.splitlines()[-1] == "stopped; the same command with --resume goes on"
