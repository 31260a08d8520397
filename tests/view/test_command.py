"""The command: it tells an address, opens the browser, and ends as it is asked to."""

import os
import signal
import socket
import subprocess
import sys
import threading
import webbrowser
from functools import partial

import httpx
import pytest

from llt.cli import main, view
from tests.waiting import PATIENCE


def test_an_address_is_told_and_ctrl_c_ends_cleanly(darcy_file):
    words = [sys.executable, "-m", "llt", "view", str(darcy_file), "--no-browser"]
    get = partial(httpx.get, timeout=PATIENCE)
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            where = process.stdout.readline().strip()
            assert get(f"{where}/api/about").json()["num_cases"] == 2
            assert get(where).headers["content-type"].startswith("text/html")
            # a browser that is gone before it has its answer
            with socket.create_connection(("127.0.0.1", int(where.rpartition(":")[2]))) as hasty:
                hasty.sendall(b"GET /api/cases/10/mesh HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert get(f"{where}/api/cases/10/fields").status_code == 200
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
        finally:
            process.kill()
        assert process.stderr.read() == "Ctrl-C ends\n"


def test_a_port_in_use_is_refused_before_anything_is_loaded(capsys, monkeypatch, darcy_file):
    monkeypatch.setattr("llt.view.opening.open_scene", None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["view", str(darcy_file), "--port", str(port), "--no-browser"]) == 2
    err = capsys.readouterr().err
    assert f"127.0.0.1:{port} is in use" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.h5"], "none.h5: no such file"),
        (["{file}", "--split", "all"], "--split all"),
        (["{file}", "--port", "70000"], "port 70000"),
        (["{file}", "--data", "{file}"], "--data"),
        (["pretrained:nothing"], "pretrained weights"),
        (["{folder}"], "no run, dataset or file with a mesh"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(tmp_path, capsys, darcy_file, words, said):
    (tmp_path / "empty").mkdir()
    places = {"file": darcy_file, "folder": tmp_path / "empty"}
    assert main(["view", *(word.format(**places) for word in words), "--no-browser"]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_the_browser_is_opened_where_there_is_one_with_windows(monkeypatch, capsys):
    opened, done = [], threading.Event()
    monkeypatch.setattr(webbrowser, "open", lambda where: (opened.append(where), done.set()))
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    view._ready("http://127.0.0.1:1", browser=True)
    monkeypatch.setitem(os.environ, "DISPLAY", ":0")
    view._ready("http://127.0.0.1:2", browser=False)
    view._ready("http://127.0.0.1:3", browser=True)
    assert done.wait(60)
    assert opened == ["http://127.0.0.1:3"]
    assert capsys.readouterr().out.splitlines() == [f"http://127.0.0.1:{n}" for n in (1, 2, 3)]
