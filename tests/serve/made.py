"""A service in a thread of the test, and clients that say what they like."""

import http.client
import io
import json
import socket
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import numpy as np
import torch

from llt.models import build_model
from llt.serve.app import Service, Settings
from llt.serve.served import Served
from llt.serve.server import Server, bind
from llt.surrogate import Surrogate
from tests.waiting import PATIENCE


@contextmanager
def listening(app, **options):
    """The port of an application that is served meanwhile."""
    sock, ready = bind("127.0.0.1", 0), Event()
    port = sock.getsockname()[1]
    server = Server(app, ready=ready.set, **options)
    thread = Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield port
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def serving(runs, **settings):
    """A service of surrogates by name."""
    served = {
        name: one
        if isinstance(one, Served)
        else Served(name=name, surrogate=one, folder=Path(), stamp=())
        for name, one in runs.items()
    }
    service = Service(served, replace(Settings(), **settings))
    with listening(service.application()) as port:
        yield SimpleNamespace(port=port, service=service)
    service.worker._thread.join(PATIENCE)
    assert not service.worker.alive


def ask(port, path="/predict", body=b"", method=None, **headers):
    """Status, headers and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method or ("POST" if body else "GET"), path, body or None, named)
    answer = connection.getresponse()
    found = SimpleNamespace(status=answer.status, headers=answer.headers, body=answer.read())
    connection.close()
    return found


def refused(found, status):
    """The one line of a refusal."""
    assert found.status == status, found.body
    line = json.loads(found.body)["error"]
    assert "\n" not in line and "Traceback" not in line and "/tmp" not in line
    return line


def tell(port, words, *, half=False):
    """All that comes back on a connection of its own."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as sock:
        sock.sendall(words)
        if half:
            sock.shutdown(socket.SHUT_WR)
        found = b""
        while piece := sock.recv(2**16):
            found += piece
    return found


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def unpacked(found):
    assert found.status == 200, found.body
    return dict(np.load(io.BytesIO(found.body)))


def untrained(data):
    torch.manual_seed(0)
    model = build_model("llt", data.problem, dim=8, num_layers=1, heads=2)
    return Surrogate.fit(model, data)


def field(seed=0, n=9):
    return np.random.default_rng(seed).uniform(1, 2, (n, n))


def body(array):
    return json.dumps({"permeability": array.tolist()}).encode()
