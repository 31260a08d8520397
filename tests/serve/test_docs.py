"""docs/serve.md as a user follows it: its services start, its commands and its program run."""

import re
import shlex
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from llt import load
from llt.cli import main
from llt.serve.server import Server
from tests.own_mesh.made import surrogate_of, write_table
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/serve.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)


@contextmanager
def started(line, monkeypatch):
    """The port of the service that a line of the page starts, one that is free."""
    words = shlex.split(line.replace("--port 8000", "--port 0"))
    found, ready = {}, Event()

    def run(app, sock, *, ready, grace):
        found.update(server=Server(app, ready=ready, grace=grace), port=sock.getsockname()[1])
        found["server"].run(sockets=[sock])

    def say(line):
        ready.set()

    monkeypatch.setattr("llt.serve.server.run", run)
    monkeypatch.setattr("llt.cli.display.say", say)
    monkeypatch.setenv("LLT_READ_LIMIT", "128M")  # which the command would leave behind
    thread = Thread(target=main, args=(words[1:],))
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield str(found["port"])
    finally:
        found["server"].should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the page begins: a run of llt prepare, and a new case."""
    pyvista = pytest.importorskip("pyvista")
    where = tmp_path_factory.mktemp("docs")
    (where / "cases").mkdir()
    for i in range(4):
        mesh = pyvista.ImageData(dimensions=(4 + i, 5, 1)).cast_to_unstructured_grid()
        mesh.point_data["p"] = mesh.points[:, 0] + i
        mesh.save(where / f"cases/c{i}.vtu")
    shutil.copy(where / "cases/c1.vtu", where / "new.vtu")
    table = write_table(where / "speeds.csv", ["speed"], [(f"c{i}", i) for i in range(4)])
    surrogate_of(where / "cases", outputs=("p",), table=str(table)).save(where / "runs/vessel")
    return where


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_services_commands_and_the_program_run(folder, monkeypatch):
    """In their order; a service is there until the next one is started."""
    monkeypatch.chdir(folder)
    services = [text.strip() for language, text in BLOCKS if text.startswith("llt serve")]
    assert len(services) == 2
    scope = {}
    parts = re.split("|".join(map(re.escape, services)), PAGE)[1:]
    # the token is made before the service that needs it
    blocks = [re.findall(r"^```(bash|python)\n(.*?)^```", p, flags=re.S | re.M) for p in parts]
    for service, commands in zip(services, blocks, strict=True):
        with started(service, monkeypatch) as port:
            for language, text in commands:
                text = text.replace("8000", port)
                if language == "python":
                    exec(text, scope)
                    continue
                done = subprocess.run(["bash", "-ec", text], capture_output=True, text=True)
                assert done.returncode == 0, done.stderr
                assert '"error"' not in done.stdout, done.stdout
    assert scope["stress"].shape == (972,) and scope["report"]["bars"]["stress"] > 0
    expected = load("pretrained:elasticity").predict(scope["points"], {}, check=False)["stress"]
    assert abs(scope["stress"] - expected).max() < 1e-3 * abs(expected).max()
    assert (folder / "answer.npz").read_bytes().startswith(b"PK")
    assert b"p_pred" in (folder / "predicted.vtu").read_bytes()


def test_limits_on_the_page_are_those_of_the_service():
    from llt.serve import connection
    from llt.serve.app import FILES_AT_ONCE, Settings
    from llt.serve.body import MOST_JSON
    from llt.serve.limits import RETRY

    settings = Settings()
    assert f"| `--max-body MIB` | {settings.max_body // 2**20} |" in PAGE
    assert f"| `--timeout S` | {settings.seconds:g} |" in PAGE
    assert f"| `--concurrency N` | {settings.concurrency} |" in PAGE
    assert f"at most {MOST_JSON // 2**20} MiB" in PAGE and RETRY == 1
    assert f"head has {connection.HEAD:g} seconds" in PAGE and FILES_AT_ONCE == 4
    assert f"of its answer {connection.STALLED:g}, and there are {connection.MOST} conn" in PAGE


def test_links_lead_somewhere():
    for link in re.findall(r"\]\(([^)h][^)]*)\)", PAGE):
        assert (ROOT / "docs" / link.partition("#")[0]).exists()
