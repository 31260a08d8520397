"""`llt serve` as a user types it, and what the container starts."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from llt.cli import main
from llt.serve.app import Settings
from tests.conftest import darcy_like
from tests.serve.made import ask, untrained
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "darcy"
    untrained(darcy_like()).save(folder)
    return str(folder)


def refusal(capsys, *args):
    assert main(["serve", *map(str, args)]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    return line


def test_other_machines_are_not_answered_without_a_token(run, capsys, monkeypatch):
    monkeypatch.delenv("LLT_TOKEN", raising=False)
    assert "give a token with --token-file or LLT_TOKEN" in refusal(
        capsys, run, "--host", "0.0.0.0"
    )


def test_a_port_in_use_is_told_before_anything_is_loaded(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert "is in use by another program" in refusal(capsys, "no/such/run", "--port", port)


def test_runs_and_limits_that_are_none_are_refused(run, capsys):
    assert "no such run" in refusal(capsys, "no/such/run", "--port", 0)
    assert "another run is called" in refusal(capsys, run, run, "--port", 0)
    assert "--max-body is above 0" in refusal(capsys, run, "--max-body", 0)


def test_options_are_the_limits_of_the_service(run, monkeypatch):
    found = []

    def service(runs, settings):
        found.append(settings)
        return SimpleNamespace(runs=runs, application=lambda: None)

    monkeypatch.setattr("llt.serve.app.Service", service)
    monkeypatch.setattr("llt.serve.server.run", lambda app, sock, **how: found.append(how["grace"]))
    monkeypatch.setenv("LLT_READ_LIMIT", "")  # and is put back after the test
    monkeypatch.delenv("LLT_READ_LIMIT")
    limits = ["--max-body", "8", "--timeout", "5", "--concurrency", "3"]
    assert main(["serve", run, "--port", "0", *limits]) == 0
    assert found == [Settings(max_body=2**23, seconds=5, concurrency=3, own_pages=True), 5]
    assert os.environ["LLT_READ_LIMIT"] == str(2**25)


def test_a_service_starts_answers_and_stops(run):
    command = [sys.executable, "-m", "llt", "serve", run, "--port", "0"]
    env = os.environ | {"LLT_TOKEN": "0123456789abcdef"}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process:
        line = process.stderr.readline()
        port = int(re.fullmatch(r"darcy at http://127.0.0.1:(\d+); .*\n", line)[1])
        assert ask(port, "/").status == 401
        found = ask(port, "/", Authorization="Bearer 0123456789abcdef")
        assert [*json.loads(found.body)["runs"]] == ["darcy"]
        process.send_signal(signal.SIGTERM)
        assert process.stderr.read() == "stopped\n" and process.wait(PATIENCE) == 0


def instructions():
    """Of the container file: words in capitals and what follows them."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Containerfile").read_text(), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip()]


def test_the_container_is_made_of_what_is_here():
    steps = instructions()
    assert steps[0][0] == "FROM" and re.fullmatch(r"[\w./-]+:\d[\w.-]+", steps[0][1])
    for name, words in steps:
        if name == "COPY":
            assert all((ROOT / source).exists() for source in words.split()[:-1])
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (install,) = (words for name, words in steps if "pip install" in words)
    for extra in re.search(r"/build\[([\w,]+)\]", install)[1].split(","):
        assert extra in extras["optional-dependencies"]
    assert "torch==" in (ROOT / "constraints.txt").read_text() and "/whl/cpu" in install
    read = {extras["readme"], "pyproject.toml", "LICENSE", "constraints.txt"}
    assert read <= {word for name, words in steps if name == "COPY" for word in words.split()}


def test_the_container_has_no_rights_and_starts_a_service_that_needs_a_token(capsys, monkeypatch):
    monkeypatch.delenv("LLT_TOKEN", raising=False)
    steps = dict(instructions())  # the last of each name counts
    names = [name for name, _ in instructions()]
    assert steps["USER"] not in ("root", "0") and names.index("USER") < names.index("ENTRYPOINT")
    words = json.loads(steps["ENTRYPOINT"]) + json.loads(steps["CMD"])
    assert words[:2] == ["llt", "serve"] and steps["EXPOSE"] in words
    assert "give a token" in refusal(capsys, *words[2:]), shlex.join(words)
