"""Listening, ending, and connections that are slow, cut off or half closed."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
from threading import Event, Thread
from time import monotonic

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from llt.errors import ConfigError
from llt.serve import connection
from llt.serve.server import address, bind
from tests.serve.made import ask, listening, tell
from tests.waiting import PATIENCE

LARGE = 2**26


async def size(request):
    return PlainTextResponse(f"{len(await request.body())} bytes")


async def large(request):
    return PlainTextResponse("x" * LARGE)


CLOSED = Event()  # its side, by a client


async def late(request):
    while not CLOSED.is_set():
        await asyncio.sleep(0.01)
    return PlainTextResponse("late")


APP = Starlette(
    routes=[Route("/", size, methods=["GET", "POST"]), Route("/large", large), Route("/late", late)]
)
HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n"


@pytest.fixture(scope="module")
def port():
    with listening(APP) as port:
        yield port


def test_a_free_port_is_found_and_named():
    with bind("127.0.0.1", 0) as sock:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address(sock))
    with bind("::1", 0) as sock:
        assert re.fullmatch(r"http://\[::1\]:\d+", address(sock))


def test_addresses_that_cannot_be_had_are_told_in_one_line():
    with (
        bind("127.0.0.1", 0) as sock,
        pytest.raises(ConfigError, match="is in use by another program; choose another port"),
    ):
        bind(*sock.getsockname())
    with pytest.raises(ConfigError, match="between 0 and 65535"):
        bind("127.0.0.1", 70000)
    with pytest.raises(ConfigError, match=r"host no such\.name: no such address"):
        bind("no such.name", 0)
    with pytest.raises(ConfigError, match="is no address of this machine"):
        bind("192.0.2.1", 0)  # kept for documents, so nobody's


def test_requests_one_after_the_other_share_a_connection(port):
    last = HEAD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    found = tell(port, HEAD + b"hello" + last + b"again")
    assert found.count(b"HTTP/1.1 200") == 2 and found.count(b"5 bytes") == 2


def test_a_client_that_has_sent_all_and_closes_its_side_gets_its_answer(port, monkeypatch):
    eof_received = connection.Connection.eof_received

    def telling(self):
        self.loop.call_later(0.05, CLOSED.set)
        return eof_received(self)

    monkeypatch.setattr(connection.Connection, "eof_received", telling)
    head = b"GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert tell(port, head, half=True).endswith(b"late")


CUT = {
    "within the body": (HEAD + b"hel", b"the request ends before its body does"),
    "within the head": (b"POST / HTTP/1.1\r\nHo", b"the request ends within its head"),
}


@pytest.mark.parametrize("where", CUT)
def test_a_request_that_ends_too_early_is_told_so(port, where):
    words, error = CUT[where]
    found = tell(port, words, half=True)
    assert found.startswith(b"HTTP/1.1 400 Bad Request") and error in found


def test_what_is_not_http_is_told_so(port):
    found = tell(port, b"\x16\x03\x01 hello\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 400") and b'"error": "not a request of HTTP/1.1"' in found
    good = ask(port, "/")
    assert good.body == b"0 bytes" and "Server" not in good.headers


@pytest.mark.parametrize("words", [b"", b"POST / HTTP/1.1\r\nHo"])
def test_a_head_that_does_not_come_is_not_waited_for(port, monkeypatch, words):
    monkeypatch.setattr(connection, "HEAD", 0.2)
    assert tell(port, words).startswith(b"HTTP/1.1 408 Request Timeout")


def test_the_next_head_on_a_connection_may_not_take_longer(port, monkeypatch):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as sock:
        sock.sendall(HEAD + b"hello")
        assert b"200 OK" in sock.recv(2**16)
        monkeypatch.setattr(connection, "HEAD", 0.2)  # the first may have taken longer
        sock.sendall(b"POST / HT")
        found = b""
        while piece := sock.recv(2**16):
            found += piece
    assert b"408 Request Timeout" in found


def test_an_answer_that_is_not_taken_is_given_up(port, monkeypatch):
    lost, connection_lost = {}, connection.Connection.connection_lost

    def telling(self, exc):
        connection_lost(self, exc)
        lost.setdefault(self.client, Event()).set()

    monkeypatch.setattr(connection, "STALLED", 0.2)
    monkeypatch.setattr(connection.Connection, "connection_lost", telling)
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as sock:
        given_up = lost.setdefault(sock.getsockname(), Event())
        sock.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert given_up.wait(PATIENCE)
        found = 0  # what the system holds may still be read
        while piece := sock.recv(2**20):
            found += len(piece)
    assert 0 < found < LARGE


def test_too_many_connections_are_turned_away(port, monkeypatch):
    monkeypatch.setattr(connection, "MOST", 2)
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]
    found = b""
    deadline = monotonic() + PATIENCE
    while b"503 Service Unavailable" not in found and monotonic() < deadline:
        found = tell(port, HEAD + b"hello", half=True)
    assert b"200 OK" not in found  # what was sent all the same is not looked at
    assert b"too many connections" in found and b"\r\nRetry-After: 1\r\n" in found
    for sock in idle:
        sock.close()


PROGRAM = """
import asyncio, sys
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from llt.serve.server import bind, run
async def slow(request):
    print("asked", flush=True)
    await asyncio.sleep(1.0)
    return PlainTextResponse("done")
sock = bind("127.0.0.1", 0)
port = sock.getsockname()[1]
run(Starlette(routes=[Route("/", slow)]), sock, ready=lambda: print(port, flush=True))
print("ended", flush=True)
"""


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_what_is_in_flight_finish(signum):
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        port, answers = int(process.stdout.readline()), []
        client = Thread(target=lambda: answers.append(ask(port, "/")))
        client.start()
        assert process.stdout.readline() == "asked\n"
        process.send_signal(signum)
        client.join(PATIENCE)
        assert process.stdout.read() == "ended\n" and process.wait(PATIENCE) == 0
    assert answers[0].body == b"done"


def test_a_second_signal_waits_for_nothing():
    """Not even for a thread that computes."""
    program = PROGRAM.replace("await asyncio.sleep(1.0)", "await asyncio.to_thread(sleep, 1e6)")
    command = [sys.executable, "-c", "from time import sleep\n" + program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        port = int(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port)) as sock:
            sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert process.stdout.readline() == "asked\n"
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
            try:
                assert process.wait(PATIENCE) in (128 + signal.SIGTERM, 128 + signal.SIGINT)
            finally:
                process.kill()
