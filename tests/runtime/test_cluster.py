"""A Dask cluster: the same samples, a killed worker costs little, bad addresses are one line."""

import gc
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from threading import Thread

import pytest

from llt.cli import main
from llt.data import dataset_file
from llt.errors import ConfigError, SolverError
from llt.generation import generate_file
from llt.runtime import cluster as clusters
from llt.runtime.cluster import dask_executor

distributed = pytest.importorskip("distributed")

COUNTS = (40, 4, 4)


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as found:
        yield found


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """With what answers: machines that test are busy."""
    monkeypatch.setattr(clusters, "PATIENCE", 60.0)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The hash of the file that one process writes."""
    path = tmp_path_factory.mktemp("alone") / "elasticity.h5"
    return generate_file("elasticity", path, counts=COUNTS, workers=1).hash


def test_two_workers_write_the_file_of_one_process(cluster, alone, tmp_path, capsys):
    out, num = tmp_path / "a.h5", ",".join(map(str, COUNTS))
    words = ["generate", "elasticity", "-o", str(out), "--num", num]
    assert main([*words, "--dask", cluster.scheduler_address]) == 0
    assert dataset_file.read(out).hash == alone
    assert f"hash {alone}" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.h5"]


def test_a_worker_is_no_scheduler(cluster, capsys, tmp_path):
    """Before workers are killed: the addresses of those that follow are not known at once."""
    address = cluster.workers[1].worker_address
    words = ["generate", "elasticity", "-o", str(tmp_path / "a.h5"), "--dask", address]
    assert main(words) == 2
    assert f"--dask {address}: is a Worker; give the address of its sch" in capsys.readouterr().err


def test_a_killed_worker_costs_only_the_time_of_its_samples(cluster, alone, tmp_path):
    """At most what it had solved and not sent yet is solved again, and what it was at."""
    total, waiting = sum(COUNTS), []

    def solved():
        return len([row for row in [*cluster.scheduler.transition_log] if row[2] == "memory"])

    @contextmanager
    def killing(title, num):
        done = 0

        def advance():
            nonlocal done
            done += 1
            if done == total // 3:
                os.kill(cluster.workers[0].pid, signal.SIGKILL)
                waiting.append(solved() - done)

        yield advance
        assert done == total

    cluster.scheduler.transition_log.clear()
    with dask_executor(cluster.scheduler_address) as executor:
        data = generate_file(
            "elasticity", tmp_path / "a.h5", counts=COUNTS, executor=executor, progress=killing
        )
    assert data.hash == alone
    assert 0 <= solved() - total <= waiting[0] + 2


def test_work_that_kills_its_workers_is_told_in_one_line(cluster, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    with (
        pytest.raises(SolverError, match=r"workers died, as when memory .*; finished samples are"),
        dask_executor(cluster.scheduler_address) as executor,
    ):
        executor.submit(os._exit, 1).result(60)
    cluster.wait_for_workers(2, timeout=60)


def test_another_version_of_llt_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(clusters, "__version__", "9.9")
    with (
        pytest.raises(ConfigError, match=r"llt 9.9, as it is here, must be .*; tcp:.* has 0"),
        dask_executor(cluster.scheduler_address),
    ):
        pass


@pytest.fixture
def silence():
    """A program that listens, and says nothing or not what a scheduler says."""
    words = {"silent": b"", "other": b"SSH-2.0-OpenSSH_9.9\r\n"}
    servers, held = {}, []

    def serve(kind):
        while True:
            try:
                held.append(servers[kind].accept()[0])
                held[-1].sendall(words[kind])
            except OSError:
                return

    for kind in words:
        servers[kind] = socket.create_server(("127.0.0.1", 0))
        Thread(target=serve, args=(kind,), daemon=True).start()
    yield {kind: f"tcp://127.0.0.1:{s.getsockname()[1]}" for kind, s in servers.items()}
    for server in [*servers.values(), *held]:
        server.close()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("silent", "nothing within 1 s"),
        ("other", "[(].+[)]"),
        ("tcp://127.0.0.1:1", "nothing within 1 s|Timed out|refused"),
        ("nowhere", "missing port number"),
        ("tcp://127.0.0.1:port", "invalid literal"),
        ("tea://127.0.0.1:1", "unknown address scheme"),
    ],
)
def test_an_address_that_does_not_answer(address, reason, silence, capsys, tmp_path, monkeypatch):
    # what answers at once, or never gets so far, may take its time on a busy machine
    monkeypatch.setattr(clusters, "PATIENCE", 1.0 if "1 s" in reason else 20.0)
    address = silence.get(address, address)
    start = time.monotonic()
    words = ["generate", "elasticity", "-o", str(tmp_path / "a.h5"), "--dask", address]
    assert main(words) == 2
    assert time.monotonic() - start < 30  # Dask itself would wait longer
    err = capsys.readouterr().err
    assert err.startswith(f"llt: --dask {address}: ") and err.count("\n") == 1
    assert "no Dask scheduler answers there (" in err and re.search(reason, err)
    assert not [*tmp_path.iterdir()]
    gc.collect()  # what was opened is closed: else it warns here


def test_without_dask_its_extra_is_named():
    code = "import sys; sys.modules['distributed'] = None; from llt.cli import main;"
    code += "sys.exit(main('generate elasticity -o a.h5 --dask tcp://a:1'.split()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == 'llt: --dask needs Dask: pip install "llt[cluster]"\n'
